"""The SQL that fills tenants with rows for every section of an export, in chronological order."""

from typing import Final

SETTINGS: Final = """
    SET session_replication_role = replica;
    SET work_mem = '256MB';
    SET maintenance_work_mem = '256MB';
    SET temp_buffers = '256MB';
    SET synchronous_commit = off;
    SET jit = off;
    CREATE FUNCTION pg_temp.ulid(at timestamptz, what text) RETURNS text LANGUAGE sql STABLE
    RETURN upper(lpad(to_hex((date_part('epoch', at) * 1000)::bigint), 12, '0')
        || substr(md5(what), 1, 14));
"""

# Of every ten conversations, one is answered by a human agent, one is unanswered, and one has a
# third message without an answer. Each customer has four conversations.
HISTORY: Final = (
    """CREATE TEMP TABLE talks AS
    SELECT n, client_id, at,
           pg_temp.ulid(at, client_id || 'talk' || n) AS conversation_id,
           'customer' || n %% (size / 4 + 1) || '@example.com' AS customer,
           CASE n %% 10 WHEN 5 THEN 1 WHEN 9 THEN 3 ELSE 2 END AS messages
    FROM unnest(%(clients)s::text[], %(sizes)s::int[]) AS tenants (client_id, size),
         generate_series(0, size - 1) AS n,
         LATERAL (SELECT %(now)s::timestamptz
                         - %(days)s * interval '1 day' * (1 - n / size::float)) AS times (at)
    ORDER BY at""",
    """CREATE TEMP TABLE tickets AS
    SELECT n, client_id, conversation_id, customer, at + number * interval '1 hour' AS at,
           pg_temp.ulid(at + number * interval '1 hour', client_id || 'event' || n) AS event_id,
           pg_temp.ulid(at + number * interval '1 hour', client_id || 'run' || n) AS run_id,
           'Bonjour, où en est ma commande n° ' || n || ' ? Je l''attends depuis lundi et le suivi '
           'ne change plus. Merci de votre aide, Émilie' AS said,
           CASE WHEN messages >= 2 * number + 2 THEN
               'Bonjour Émilie, votre commande n° ' || n || ' est en route : elle a quitté notre '
               'entrepôt et elle arrive demain. Vous pouvez la suivre sur la page de votre compte. '
               'Bien à vous, l''équipe du service client'
           END AS answered,
           n %% 10 = 0 AS by_human
    FROM talks, generate_series(0, (messages - 1) / 2) AS number
    ORDER BY at""",
    "ANALYZE talks",
    "ANALYZE tickets",
)

_CONVERSATIONS: Final = (
    """INSERT INTO ai_conversations
        (client_id, id, key, channel, customer_email, turns, summary, sentiment, is_critical,
         created_at, last_message_at)
    SELECT client_id, conversation_id, 'session:' || conversation_id, 'email', customer,
           '[{"author": "customer", "body": "Bonjour, où en est ma commande ?"}]',
           'order_status: answered, the order is on its way', n %% 100 / 50.0 - 1, n %% 100 < 10,
           at, at + (messages - 1) * interval '30 minutes'
    FROM talks""",
    """INSERT INTO engine_events
        (client_id, id, source, event_type, customer_email, message, subject, text, payload,
         unified, outcome, received_at)
    SELECT client_id, event_id, 'shopify', 'shopify.ticket_created', customer, said, 'Ma commande',
           said, jsonb_build_object('order_number', n, 'locale', 'fr-FR'),
           %(unified)s::jsonb || jsonb_build_object(
               'customer_email', customer, 'subject', 'Ma commande', 'text', said,
               'order_number', n::text, 'ticket_id', event_id), 'run', at
    FROM tickets""",
    """INSERT INTO engine_messages
        (client_id, id, event_id, conversation_id, direction, channel, customer_key, author, body,
         created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || direction), event_id, conversation_id, direction,
           'email', customer, author, body, at + later
    FROM tickets, LATERAL (VALUES
        ('inbound', 'customer', said, interval '0'),
        ('outbound', CASE WHEN by_human THEN 'human' ELSE 'agent' END, answered, interval '2 s')
    ) AS messages (direction, author, body, later)
    WHERE body IS NOT NULL ORDER BY at + later""",
    """INSERT INTO sentiment_logs
        (client_id, id, conversation_id, event_id, score, is_critical, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'tone'), conversation_id, event_id,
           n %% 100 / 50.0 - 1, n %% 100 < 10, at
    FROM tickets""",
)

_RUNS: Final = (
    """INSERT INTO engine_runs
        (client_id, id, event_id, playbook_id, playbook_version, status, classification, confidence,
         alternatives, language, draft, response, answer, plan, steps, citations, sentiment, lookup,
         findings, verdicts, handoff_reason, doubt, model, tokens_in, tokens_out, cost_micros,
         timings, duration_ms, error_code, received_at, answered_at, finished_at)
    SELECT client_id, run_id, event_id, playbook.id, playbook.version, status, 'order_status', 0.9,
           jsonb_build_array(%(alternatives)s::jsonb), 'fr', answered, answered,
           jsonb_build_object(
               'event_id', event_id, 'run_id', run_id, 'status', status,
               'classification', 'order_status', 'confidence', 0.9,
               'response', coalesce(answered, ''), 'steps_executed', 1, 'duration_ms', 60),
           jsonb_build_array(%(plan)s::jsonb), jsonb_build_array(%(steps)s::jsonb),
           jsonb_build_array(%(citations)s::jsonb), n %% 100 / 50.0 - 1, %(lookup)s::jsonb,
           jsonb_build_array(%(findings)s::jsonb), jsonb_build_array(%(verdicts)s::jsonb),
           doubt, doubt, 'templates', 0, 0, 0, %(timings)s::jsonb, 60,
           CASE WHEN status = 'failed' THEN 'brain_unavailable' END, at, at, at
    FROM tickets JOIN (
        SELECT DISTINCT ON (client_id) client_id, id, version FROM playbooks ORDER BY client_id, id
    ) AS playbook USING (client_id), LATERAL (
        SELECT CASE WHEN answered IS NULL THEN 'failed' ELSE 'completed' END,
               CASE WHEN by_human THEN 'low_confidence' END
    ) AS outcomes (status, doubt)""",
    """INSERT INTO action_ledger
        (client_id, id, run_id, step, round, action, state, detail, customer_key, planned_at,
         finished_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'action'), run_id, 0, 0, 'reply_by_email', 'done',
           '', customer, at, at
    FROM tickets WHERE n %% 4 = 0 AND answered IS NOT NULL""",
    """INSERT INTO escalation_tickets
        (client_id, id, run_id, round, status, reason, draft, plan, decided_by, decided_at,
         decision, expires_at, created_at, taken_up_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'review'), run_id, 0, 'approved',
           'low_confidence', answered, jsonb_build_array(%(plan)s::jsonb), 'user:agent',
           at + interval '20 minutes', 'approve', at + interval '3 days', at,
           at + interval '20 minutes'
    FROM tickets WHERE by_human""",
)

_FIGURES: Final = (
    """INSERT INTO automation_events
        (client_id, id, event_type, source, status, customer_email, payload, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'old'), 'ticket_created', 'shopify', 'processed',
           customer, jsonb_build_object('message', said, 'order_number', n), at
    FROM tickets WHERE n %% 10 = 1""",
    """INSERT INTO churn_predictions
        (client_id, id, customer_email, week, score, level, factors, created_at)
    SELECT DISTINCT ON (client_id, customer)
           client_id, pg_temp.ulid(%(now)s, run_id || 'churn'), customer,
           date_trunc('week', %(now)s::timestamptz AT TIME ZONE 'UTC')::date, %(score)s, %(level)s,
           %(factors)s::jsonb, %(now)s
    FROM tickets""",
    """INSERT INTO metrics_daily
        (client_id, day, events, runs, completed, needs_review, failed, no_playbook, escalated,
         reviewed, messages_in, messages_out, customers, latency_p50_ms, latency_p95_ms,
         sentiment_mean, sentiment_count, resolution_rate, automation_rate, escalation_rate,
         review_rate, asked, handled, resolved, resolved_alone, reopened, durable, escalations,
         latencies, cost_micros, computed_at)
    SELECT client_id, (%(now)s::timestamptz AT TIME ZONE 'UTC')::date - n, 110, 110, 90, 0, 20, 0,
           10, 10, 110, 90, 100, 60.5, 180.25, 0.0125, 110, 0.8181818, 0.7272727, 0.0909091, 1,
           110, 110, 90, 80, 15, 75, '{"low_confidence": 10}', '{"84": 60, "106": 50}', 12000,
           %(now)s
    FROM unnest(%(clients)s::text[]) AS client_id, generate_series(1, %(days)s) AS n""",
)

_CONTENT: Final = (
    """INSERT INTO client_settings
        (client_id, system_prompt, branding, widget_key, retention, updated_at)
    SELECT client_id, 'Vous répondez avec chaleur et brièveté, et vous vouvoyez.',
           '{"color": "#7c5cbf", "display_name": "Maison Lavande"}', 'wk_' || md5(client_id),
           '{}', %(now)s
    FROM unnest(%(clients)s::text[]) AS client_id""",
    """INSERT INTO integrations
        (client_id, id, provider, status, sealed, connected_at, disconnected_at)
    SELECT client_id, pg_temp.ulid(%(now)s, client_id || n), 'zendesk', 'disconnected', '',
           %(now)s, %(now)s
    FROM unnest(%(clients)s::text[]) AS client_id, generate_series(1, 4) AS n""",
    """INSERT INTO response_templates
        (client_id, id, name, category, language, body, is_active, created_at)
    SELECT client_id, pg_temp.ulid(%(now)s, client_id || 'template' || n), 'Livraison ' || n,
           'shipping_issue', 'fr', 'Bonjour {{ customer_name }}, votre colis est en route.', false,
           %(now)s
    FROM unnest(%(clients)s::text[]) AS client_id, generate_series(1, 200) AS n""",
    """INSERT INTO knowledge_entries
        (client_id, id, title, body, language, search_text, created_at)
    SELECT client_id, pg_temp.ulid(%(now)s, client_id || 'knowledge' || n), 'Délais ' || n,
           'Les colis partent sous ' || n || ' heures et arrivent en trois jours ouvrés.', 'fr',
           'colis ' || n, %(now)s
    FROM unnest(%(clients)s::text[]) AS client_id, generate_series(1, 200) AS n""",
    """INSERT INTO audit_entries
        (client_id, seq, id, at, actor_kind, actor, network, what, ids, previous, hash)
    SELECT client_id, n, pg_temp.ulid(%(now)s, client_id || 'audit' || n), %(now)s, 'person',
           pg_temp.ulid(%(now)s, client_id || 'actor'), '192.0.2.0/24', 'knowledge created',
           jsonb_build_object('knowledge_id', pg_temp.ulid(%(now)s, client_id || 'knowledge' || n)),
           sha256((client_id || n - 1)::bytea), sha256((client_id || n)::bytea)
    FROM unnest(%(clients)s::text[]) AS client_id, generate_series(1, 200) AS n""",
)

# These rows record human decisions.
_LEARNING: Final = (
    """INSERT INTO saved_cases
        (client_id, id, name, scenario, expected, origin, created_by, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'case'), 'Commande ' || run_id,
           jsonb_build_object('messages', jsonb_build_array(jsonb_build_object('text', said))),
           '{"status": "completed"}', 'run', 'user:agent', at
    FROM tickets WHERE by_human AND n %% 100 = 0""",
    """INSERT INTO corrections
        (client_id, id, review_id, run_id, kind, state, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'correction'),
           pg_temp.ulid(at, run_id || 'review'), run_id, 'edited', 'open', at
    FROM tickets WHERE by_human""",
    """INSERT INTO labelled_examples
        (client_id, id, run_id, text, language, classification, labelled_by, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'example'), run_id, said, 'fr', 'order_status',
           'user:agent', at
    FROM tickets WHERE by_human""",
    """INSERT INTO ratings (client_id, id, run_id, score, channel, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'rating'), run_id, 1 + n %% 5, 'mail', at
    FROM tickets WHERE by_human""",
    """INSERT INTO shadow_drafts
        (client_id, run_id, playbook_id, playbook_version, classification, confidence, draft, plan,
         created_at)
    SELECT client_id, run_id, playbook_id, playbook_version, 'order_status', 0.9, answered,
           jsonb_build_array(%(plan)s::jsonb), at
    FROM tickets JOIN engine_runs AS run USING (client_id) WHERE by_human AND run.id = run_id""",
    """INSERT INTO conversation_replies
        (client_id, id, conversation_id, event_id, run_id, step, author, body, state, created_at,
         send_at, finished_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'reply'), conversation_id, event_id, run_id, 1000,
           'user:agent', said, 'sent', at, at, at
    FROM tickets WHERE by_human""",
    """INSERT INTO conversation_notes
        (client_id, id, conversation_id, event_id, author, body, created_at)
    SELECT client_id, pg_temp.ulid(at, run_id || 'note'), conversation_id, event_id, 'user:agent',
           said, at
    FROM tickets WHERE by_human""",
)

FILL: Final = (*HISTORY, *_CONVERSATIONS, *_RUNS, *_FIGURES, *_CONTENT, *_LEARNING)

FILL_CONVERSATIONS: Final = (
    "INSERT INTO users (id, email, created_at) VALUES (%(user)s, 'growth@example.com', %(now)s)",
    """INSERT INTO clients (id, owner_user_id, brand_name, plan, created_at)
    SELECT client_id, %(user)s, 'Growth', 'pro', %(now)s
    FROM unnest(%(clients)s::text[]) AS client_id""",
    """INSERT INTO ai_conversations
        (client_id, id, key, channel, customer_email, summary, sentiment, created_at,
         last_message_at)
    SELECT client_id, id, 'session:' || id, 'email', 'customer' || n || '@example.com',
           'order_status: answered, the order is on its way', 0.5, %(now)s, %(now)s
    FROM unnest(%(clients)s::text[], %(sizes)s::int[]) AS tenants (client_id, size),
         generate_series(0, size - 1) AS n,
         LATERAL (SELECT pg_temp.ulid(%(now)s::timestamptz + n * interval '1 ms', client_id || n))
             AS ids (id)
    ORDER BY client_id, id""",
)

SWEPT: Final = (
    "action_ledger", "ai_conversations", "api_keys", "audit_entries", "automation_events",
    "churn_predictions", "client_settings", "conversation_notes", "conversation_replies",
    "engine_events", "engine_messages", "engine_runs",
    "corrections", "escalation_tickets", "integrations", "knowledge_entries", "labelled_examples",
    "metrics_daily", "ratings", "response_templates", "saved_cases",
    "sentiment_logs", "shadow_drafts",
)  # fmt: skip
