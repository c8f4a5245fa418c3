-- The schema of version 0.9.0: functions, tables, constraints, indexes and triggers. The revision that
-- runs this file also creates the roles and enables row-level security. This file never changes: later
-- changes are separate revisions.

CREATE TABLE public.action_ledger (
    client_id text NOT NULL,
    id text NOT NULL,
    run_id text NOT NULL,
    step integer NOT NULL,
    round integer NOT NULL,
    action text NOT NULL,
    state text NOT NULL,
    detail text NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    integration_id text,
    order_key text,
    customer_key text,
    amount bigint,
    currency text,
    reference text,
    ticket_id text,
    CONSTRAINT ck_action_ledger_state CHECK ((state = ANY (ARRAY['planned'::text, 'done'::text, 'failed'::text, 'unknown'::text])))
);

CREATE TABLE public.address_codes (
    client_id text NOT NULL,
    id text NOT NULL,
    conversation_id text NOT NULL,
    question_id text NOT NULL,
    email text NOT NULL,
    language text NOT NULL,
    digest bytea NOT NULL,
    sealed_code text,
    tries_left smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    proved_at timestamp with time zone,
    is_shared boolean DEFAULT false NOT NULL,
    requester text
);

CREATE TABLE public.ai_conversations (
    client_id text NOT NULL,
    id text NOT NULL,
    key text NOT NULL,
    channel text NOT NULL,
    customer_email text,
    turns jsonb DEFAULT '[]'::jsonb NOT NULL,
    summary text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_message_at timestamp with time zone NOT NULL,
    sentiment double precision,
    is_critical boolean DEFAULT false NOT NULL,
    memory_key text,
    handed_over_at timestamp with time zone,
    ended_at timestamp with time zone,
    proposal jsonb,
    thread jsonb DEFAULT '{}'::jsonb NOT NULL,
    taken_by text,
    taken_at timestamp with time zone,
    closed_at timestamp with time zone,
    snoozed_until timestamp with time zone,
    assignee text,
    tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    waiting_since timestamp with time zone,
    answer_skipped boolean DEFAULT false NOT NULL
);

CREATE TABLE public.api_keys (
    client_id text NOT NULL,
    id text NOT NULL,
    digest bytea NOT NULL,
    prefix text NOT NULL,
    label text NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    created_by text,
    last_used_at timestamp with time zone,
    last_used_from text,
    scopes text[],
    user_id text,
    oauth_client_id text,
    notice_due_at timestamp with time zone,
    vouches boolean DEFAULT true NOT NULL
);

CREATE TABLE public.attachment_chunks (
    client_id text NOT NULL,
    attachment_id text NOT NULL,
    seq integer NOT NULL,
    data bytea NOT NULL
);

CREATE TABLE public.attachments (
    client_id text NOT NULL,
    id text NOT NULL,
    event_id text NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    claimed_type text NOT NULL,
    media_type text,
    size bigint NOT NULL,
    digest bytea NOT NULL,
    state text NOT NULL,
    reason text,
    created_at timestamp with time zone NOT NULL,
    uploaded_by text,
    reply_id text,
    CONSTRAINT ck_attachments_state CHECK ((state = ANY (ARRAY['stored'::text, 'refused'::text])))
);

CREATE TABLE public.audit_anchors (
    client_id text NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    day date NOT NULL
);

CREATE TABLE public.audit_entries (
    client_id text NOT NULL,
    seq bigint NOT NULL,
    id text NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor text NOT NULL,
    login text,
    network text,
    what text NOT NULL,
    ids jsonb DEFAULT '{}'::jsonb NOT NULL,
    previous bytea NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE public.audit_heads (
    client_id text NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE public.automation_events (
    client_id text NOT NULL,
    id text NOT NULL,
    event_type text NOT NULL,
    source text,
    status text,
    customer_email text,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.brain_costs (
    client_id text NOT NULL,
    period text NOT NULL,
    calls bigint NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    cost_micros bigint NOT NULL,
    CONSTRAINT ck_brain_costs_period CHECK ((period ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
);

CREATE TABLE public.case_results (
    client_id text NOT NULL,
    case_run_id text NOT NULL,
    case_id text NOT NULL,
    digest bytea NOT NULL,
    passed boolean NOT NULL,
    tries integer NOT NULL,
    passes integer NOT NULL,
    unmet jsonb DEFAULT '[]'::jsonb NOT NULL,
    outcome jsonb NOT NULL,
    before jsonb,
    changed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.case_runs (
    client_id text NOT NULL,
    id text NOT NULL,
    variant jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text NOT NULL,
    total integer DEFAULT 0 NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    passed integer DEFAULT 0 NOT NULL,
    cost_micros bigint DEFAULT '0'::bigint NOT NULL,
    error_code text,
    started_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ck_case_runs_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

CREATE TABLE public.checkouts (
    client_id text NOT NULL,
    id text NOT NULL,
    plan text,
    credits bigint,
    amount bigint NOT NULL,
    currency text NOT NULL,
    monthly bigint,
    renews_at timestamp with time zone,
    replaces text,
    customer_id text,
    state text NOT NULL,
    url text,
    session_id text,
    subscription_id text,
    renewal text,
    choice text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_checkouts_amount CHECK ((amount >= 0)),
    CONSTRAINT ck_checkouts_bought CHECK (((plan IS NULL) <> (credits IS NULL))),
    CONSTRAINT ck_checkouts_credits CHECK ((credits > 0)),
    CONSTRAINT ck_checkouts_plan CHECK ((plan = ANY (ARRAY['starter'::text, 'pro'::text, 'enterprise'::text]))),
    CONSTRAINT ck_checkouts_renewal CHECK ((renewal = ANY (ARRAY['active'::text, 'replaced'::text, 'ended'::text]))),
    CONSTRAINT ck_checkouts_state CHECK ((state = ANY (ARRAY['asked'::text, 'open'::text, 'pending'::text, 'paid'::text, 'failed'::text])))
);

CREATE TABLE public.churn_predictions (
    client_id text NOT NULL,
    id text NOT NULL,
    customer_email text NOT NULL,
    week date NOT NULL,
    score double precision NOT NULL,
    level text NOT NULL,
    factors jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_churn_predictions_level CHECK ((level = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT ck_churn_predictions_score CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision)))
);

CREATE TABLE public.client_settings (
    client_id text NOT NULL,
    system_prompt text,
    branding jsonb DEFAULT '{}'::jsonb NOT NULL,
    widget_key text,
    retention jsonb DEFAULT '{}'::jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    authserv_ids jsonb DEFAULT '[]'::jsonb NOT NULL,
    sensitive_words jsonb DEFAULT '[]'::jsonb NOT NULL,
    acknowledgement jsonb DEFAULT '{}'::jsonb NOT NULL,
    ask_rating boolean DEFAULT false NOT NULL,
    holds_loosening boolean DEFAULT true NOT NULL,
    stopped_at timestamp with time zone,
    stopped_by text,
    answers_from_knowledge boolean DEFAULT true NOT NULL,
    frame jsonb DEFAULT '{}'::jsonb NOT NULL,
    disclosure jsonb DEFAULT '{}'::jsonb NOT NULL,
    disclosure_status text DEFAULT 'on'::text NOT NULL,
    business_hours jsonb,
    answer_decision smallint DEFAULT '2'::smallint NOT NULL
);

CREATE TABLE public.client_users (
    client_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_client_users_role CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'agent'::text, 'viewer'::text])))
);

CREATE TABLE public.clients (
    id text NOT NULL,
    owner_user_id text NOT NULL,
    brand_name text NOT NULL,
    plan text NOT NULL,
    trial_ends_at timestamp with time zone,
    credits_balance bigint DEFAULT '0'::bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    next_plan text,
    next_plan_from timestamp with time zone,
    brain_budget_micros bigint,
    closed_at timestamp with time zone,
    manager_left_at timestamp with time zone,
    CONSTRAINT ck_clients_brain_budget CHECK ((brain_budget_micros >= 0)),
    CONSTRAINT ck_clients_credits CHECK ((credits_balance >= 0)),
    CONSTRAINT ck_clients_next_plan CHECK ((next_plan = ANY (ARRAY['free'::text, 'starter'::text, 'pro'::text, 'enterprise'::text]))),
    CONSTRAINT ck_clients_next_plan_from CHECK (((next_plan IS NULL) = (next_plan_from IS NULL))),
    CONSTRAINT ck_clients_plan CHECK ((plan = ANY (ARRAY['free'::text, 'starter'::text, 'pro'::text, 'enterprise'::text])))
);

CREATE TABLE public.conversation_notes (
    client_id text NOT NULL,
    id text NOT NULL,
    conversation_id text NOT NULL,
    event_id text NOT NULL,
    author text NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.conversation_replies (
    client_id text NOT NULL,
    id text NOT NULL,
    conversation_id text NOT NULL,
    event_id text NOT NULL,
    run_id text NOT NULL,
    step integer NOT NULL,
    author text NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    error_code text,
    created_at timestamp with time zone NOT NULL,
    send_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    by_member boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_conversation_replies_state CHECK ((state = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'unknown'::text])))
);

CREATE TABLE public.corrections (
    client_id text NOT NULL,
    id text NOT NULL,
    review_id text NOT NULL,
    run_id text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    case_id text,
    content_kind text,
    content_id text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_corrections_kind CHECK ((kind = ANY (ARRAY['edited'::text, 'rejected'::text]))),
    CONSTRAINT ck_corrections_state CHECK ((state = ANY (ARRAY['open'::text, 'accepted'::text, 'dismissed'::text])))
);

CREATE TABLE public.credit_ledger (
    client_id text NOT NULL,
    id text NOT NULL,
    amount bigint NOT NULL,
    reason text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    event_id text,
    returned_event_id text,
    CONSTRAINT ck_credit_ledger_amount CHECK ((amount <> 0))
);

CREATE TABLE public.customer_memories (
    client_id text NOT NULL,
    key text NOT NULL,
    summary text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.customer_words (
    client_id text NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    customer_id text NOT NULL
);

CREATE TABLE public.customers (
    client_id text NOT NULL,
    id text NOT NULL,
    key text NOT NULL,
    name text,
    is_verified boolean NOT NULL,
    first_contact_at timestamp with time zone NOT NULL,
    last_contact_at timestamp with time zone NOT NULL
);

CREATE TABLE public.data_requests (
    client_id text NOT NULL,
    id text NOT NULL,
    integration_id text,
    customer_email text,
    order_ids jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    told_at timestamp with time zone,
    fulfilled_by text,
    fulfilled_at timestamp with time zone
);

CREATE TABLE public.dismissed_pages (
    client_id text NOT NULL,
    url text NOT NULL,
    digest text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.engine_events (
    client_id text NOT NULL,
    id text NOT NULL,
    source text,
    event_type text NOT NULL,
    customer_email text,
    message text,
    subject text,
    text text,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    unified jsonb,
    outcome text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    erased_at timestamp with time zone,
    author text,
    received_by text,
    merchant_request jsonb,
    key_id text,
    CONSTRAINT ck_engine_events_outcome CHECK ((outcome = ANY (ARRAY['run'::text, 'no_playbook'::text])))
);

CREATE TABLE public.engine_messages (
    client_id text NOT NULL,
    id text NOT NULL,
    event_id text,
    conversation_id text,
    direction text NOT NULL,
    channel text,
    author text NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    customer_key text,
    widget_session_id text,
    widget_number integer,
    is_claim boolean DEFAULT false NOT NULL,
    reply_id text,
    normalized_key text,
    CONSTRAINT ck_engine_messages_author CHECK ((author = ANY (ARRAY['customer'::text, 'agent'::text, 'human'::text]))),
    CONSTRAINT ck_engine_messages_direction CHECK ((direction = ANY (ARRAY['inbound'::text, 'outbound'::text])))
);

CREATE TABLE public.engine_runs (
    client_id text NOT NULL,
    id text NOT NULL,
    event_id text NOT NULL,
    playbook_id text NOT NULL,
    playbook_version integer NOT NULL,
    status text NOT NULL,
    classification text,
    confidence double precision,
    alternatives jsonb DEFAULT '[]'::jsonb NOT NULL,
    language text,
    draft text,
    response text,
    answer jsonb,
    doubt text,
    plan jsonb DEFAULT '[]'::jsonb NOT NULL,
    steps jsonb DEFAULT '[]'::jsonb NOT NULL,
    citations jsonb DEFAULT '[]'::jsonb NOT NULL,
    model text,
    tokens_in integer DEFAULT 0 NOT NULL,
    tokens_out integer DEFAULT 0 NOT NULL,
    cost_micros bigint DEFAULT '0'::bigint NOT NULL,
    timings jsonb DEFAULT '{}'::jsonb NOT NULL,
    duration_ms integer,
    error_code text,
    received_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone,
    finished_at timestamp with time zone,
    hold text,
    sentiment double precision,
    lookup jsonb,
    findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    verdicts jsonb DEFAULT '[]'::jsonb NOT NULL,
    handoff_reason text,
    intent text,
    sensitive text,
    prompt_version text,
    joined_review text,
    proposal jsonb,
    thread_after jsonb,
    covered boolean DEFAULT false NOT NULL,
    in_draft boolean DEFAULT false NOT NULL,
    aside_of text,
    model_fault text,
    guard_findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT ck_engine_runs_status CHECK ((status = ANY (ARRAY['received'::text, 'completed'::text, 'needs_review'::text, 'failed'::text])))
);

CREATE TABLE public.erasures (
    id text NOT NULL,
    client_id text NOT NULL,
    scope text NOT NULL,
    subject_digest bytea,
    requested_by text NOT NULL,
    removed jsonb DEFAULT '{}'::jsonb NOT NULL,
    standing jsonb,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ck_erasures_scope CHECK ((scope = ANY (ARRAY['tenant'::text, 'customer'::text]))),
    CONSTRAINT ck_erasures_subject CHECK (((scope = 'customer'::text) = (subject_digest IS NOT NULL)))
);

CREATE TABLE public.error_reports (
    id text NOT NULL,
    request_id text,
    client_id text,
    event_id text,
    place text NOT NULL,
    code text NOT NULL,
    exception jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    occurrences integer DEFAULT 1 NOT NULL
);

CREATE TABLE public.escalation_tickets (
    client_id text NOT NULL,
    id text NOT NULL,
    run_id text NOT NULL,
    round integer NOT NULL,
    status text NOT NULL,
    reason text NOT NULL,
    draft text NOT NULL,
    plan jsonb DEFAULT '[]'::jsonb NOT NULL,
    claimed_by text,
    decided_by text,
    decided_at timestamp with time zone,
    decision text,
    edited_text text,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    taken_up_at timestamp with time zone,
    claimed_at timestamp with time zone,
    needs_second boolean DEFAULT false NOT NULL,
    first_approved_by text,
    first_approved_at timestamp with time zone,
    amount bigint,
    currency text,
    note text,
    latest_event_id text,
    sensitive text,
    urgent boolean DEFAULT false NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    conversation_id text,
    CONSTRAINT ck_escalation_tickets_status CHECK ((status = ANY (ARRAY['pending'::text, 'claimed'::text, 'approved'::text, 'edited'::text, 'rejected'::text, 'expired'::text])))
);

CREATE TABLE public.form_posts (
    client_id text NOT NULL,
    once text NOT NULL,
    user_id text NOT NULL,
    location text,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.helpdesk_pauses (
    client_id text NOT NULL,
    integration_id text NOT NULL,
    ticket_id text NOT NULL,
    message_id text NOT NULL,
    paused_at timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL
);

CREATE TABLE public.home_visits (
    client_id text NOT NULL,
    user_id text NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    away_since timestamp with time zone
);

CREATE TABLE public.idempotency_keys (
    client_id text NOT NULL,
    key text NOT NULL,
    body_digest bytea NOT NULL,
    event_id text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.inbound_endpoints (
    client_id text NOT NULL,
    integration_id text NOT NULL,
    token_digest bytea NOT NULL,
    previous_token_digest bytea,
    sealed_secret text,
    sealed_previous_secret text,
    previous_until timestamp with time zone,
    mapping jsonb,
    opened_at timestamp with time zone NOT NULL,
    rotated_at timestamp with time zone,
    vouches boolean DEFAULT true NOT NULL
);

CREATE TABLE public.inbound_messages (
    client_id text NOT NULL,
    integration_id text NOT NULL,
    message_key text NOT NULL,
    webhook_id text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.inbound_refusals (
    client_id text NOT NULL,
    integration_id text NOT NULL,
    reason text NOT NULL,
    hour timestamp with time zone NOT NULL,
    count integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL
);

CREATE TABLE public.inbound_webhooks (
    client_id text NOT NULL,
    id text NOT NULL,
    integration_id text NOT NULL,
    provider text NOT NULL,
    dedup_key text NOT NULL,
    body_digest bytea NOT NULL,
    topic text NOT NULL,
    kind text NOT NULL,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    body bytea,
    state text NOT NULL,
    waits_for text,
    not_before timestamp with time zone,
    customer_key text,
    outcome text,
    reason text,
    event_id text,
    reference text,
    duplicates integer DEFAULT 0 NOT NULL,
    conflicts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    is_claim boolean DEFAULT false NOT NULL,
    cut_from integer,
    is_signed boolean DEFAULT false NOT NULL,
    vouches boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_inbound_webhooks_kind CHECK ((kind = ANY (ARRAY['ticket'::text, 'fact'::text, 'duty'::text, 'ignored'::text]))),
    CONSTRAINT ck_inbound_webhooks_state CHECK ((state = ANY (ARRAY['queued'::text, 'working'::text, 'waiting'::text, 'done'::text, 'failed'::text])))
);

CREATE TABLE public.inbox_views (
    client_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    filters jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.installation_stops (
    id boolean NOT NULL,
    stopped_at timestamp with time zone NOT NULL,
    stopped_by text NOT NULL,
    CONSTRAINT ck_installation_stops_one CHECK (id)
);

CREATE TABLE public.integrations (
    client_id text NOT NULL,
    id text NOT NULL,
    provider text NOT NULL,
    status text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    sealed text NOT NULL,
    error_code text,
    connected_at timestamp with time zone NOT NULL,
    disconnected_at timestamp with time zone,
    proved_account text,
    account_refused_at timestamp with time zone,
    CONSTRAINT ck_integrations_status CHECK ((status = ANY (ARRAY['connected'::text, 'disconnected'::text, 'error'::text])))
);

CREATE TABLE public.invitations (
    client_id text NOT NULL,
    id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    invited_by text NOT NULL,
    language text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    withdrawn_at timestamp with time zone,
    declined_at timestamp with time zone,
    CONSTRAINT ck_invitations_role CHECK ((role = ANY (ARRAY['admin'::text, 'agent'::text, 'viewer'::text])))
);

CREATE TABLE public.knowledge_chunks (
    client_id text NOT NULL,
    entry_id text NOT NULL,
    place integer NOT NULL,
    model text NOT NULL,
    digest bytea NOT NULL,
    heading text NOT NULL,
    sentences text[] NOT NULL,
    embedding public.vector NOT NULL,
    sentence_embeddings public.vector[] NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.knowledge_entries (
    client_id text NOT NULL,
    id text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    language text NOT NULL,
    search_text text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector(
CASE language
    WHEN 'fr'::text THEN 'french'::regconfig
    ELSE 'english'::regconfig
END, search_text)) STORED NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone,
    embedding_failures integer DEFAULT 0 NOT NULL,
    embedding_retry_at timestamp with time zone,
    digest bytea,
    source_url text,
    source_digest text,
    source_read_at timestamp with time zone,
    source_changed_at timestamp with time zone,
    CONSTRAINT ck_knowledge_entries_language CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text])))
);

CREATE TABLE public.labelled_examples (
    client_id text NOT NULL,
    id text NOT NULL,
    run_id text,
    text text NOT NULL,
    language text NOT NULL,
    classification text NOT NULL,
    intent text,
    labelled_by text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.loosenings (
    client_id text NOT NULL,
    id text NOT NULL,
    state text NOT NULL,
    change jsonb NOT NULL,
    differences jsonb NOT NULL,
    requested_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    takes_effect_at timestamp with time zone NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    error_code text,
    notified_at timestamp with time zone,
    CONSTRAINT ck_loosenings_decided CHECK (((state = 'pending'::text) = (decided_at IS NULL))),
    CONSTRAINT ck_loosenings_state CHECK ((state = ANY (ARRAY['pending'::text, 'applied'::text, 'cancelled'::text, 'failed'::text])))
);

CREATE TABLE public.mail_counts (
    scope text NOT NULL,
    key text NOT NULL,
    day date NOT NULL,
    sent integer DEFAULT 0 NOT NULL,
    refused integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.mail_senders (
    client_id text NOT NULL,
    address text,
    reply_to text,
    signature text DEFAULT ''::text NOT NULL,
    smtp_host text,
    smtp_port integer,
    smtp_security text,
    smtp_username text,
    sealed_smtp_password text,
    code_id text,
    code_digest bytea,
    sealed_code text,
    code_tries_left smallint,
    code_language text,
    code_created_at timestamp with time zone,
    codes_since timestamp with time zone,
    codes_made smallint DEFAULT 0 NOT NULL,
    verified_at timestamp with time zone,
    last_error text,
    last_error_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_mail_senders_smtp CHECK ((((smtp_host IS NULL) = (smtp_port IS NULL)) AND ((smtp_host IS NULL) = (smtp_security IS NULL)))),
    CONSTRAINT ck_mail_senders_smtp_security CHECK ((smtp_security = ANY (ARRAY['tls'::text, 'starttls'::text])))
);

CREATE TABLE public.member_mails (
    client_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    digest_day date,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    outcome text,
    CONSTRAINT ck_member_mails_ended CHECK (((ended_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT ck_member_mails_outcome CHECK ((outcome = ANY (ARRAY['sent'::text, 'failed'::text, 'obsolete'::text])))
);

CREATE TABLE public.member_notices (
    client_id text NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    mail_id text,
    CONSTRAINT ck_member_notices_kind CHECK ((kind = ANY (ARRAY['review'::text, 'assigned'::text])))
);

CREATE TABLE public.member_notifications (
    client_id text NOT NULL,
    user_id text NOT NULL,
    mode text NOT NULL,
    digest_hour smallint NOT NULL,
    language text,
    digest_day date,
    digest_due_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_member_notifications_digest_hour CHECK (((digest_hour >= 0) AND (digest_hour <= 23))),
    CONSTRAINT ck_member_notifications_mode CHECK ((mode = ANY (ARRAY['none'::text, 'at_once'::text, 'digest'::text])))
);

CREATE TABLE public.metrics_daily (
    client_id text NOT NULL,
    day date NOT NULL,
    events integer NOT NULL,
    runs integer NOT NULL,
    completed integer NOT NULL,
    needs_review integer NOT NULL,
    failed integer NOT NULL,
    no_playbook integer NOT NULL,
    escalated integer NOT NULL,
    reviewed integer NOT NULL,
    messages_in integer NOT NULL,
    messages_out integer NOT NULL,
    customers integer NOT NULL,
    latency_p50_ms double precision,
    latency_p95_ms double precision,
    sentiment_mean double precision,
    sentiment_count integer NOT NULL,
    resolution_rate double precision,
    automation_rate double precision,
    escalation_rate double precision,
    review_rate double precision,
    computed_at timestamp with time zone NOT NULL,
    asked integer,
    handled integer,
    resolved integer,
    resolved_alone integer,
    reopened integer,
    durable integer,
    escalations jsonb DEFAULT '{}'::jsonb NOT NULL,
    latencies jsonb DEFAULT '{}'::jsonb NOT NULL,
    breakdown jsonb DEFAULT '{}'::jsonb NOT NULL,
    rated integer DEFAULT 0 NOT NULL,
    satisfied integer DEFAULT 0 NOT NULL,
    rating_mean double precision,
    cost_micros bigint DEFAULT '0'::bigint NOT NULL
);

CREATE TABLE public.model_alarms (
    client_id text NOT NULL,
    fault text NOT NULL,
    since timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    mailed_at timestamp with time zone
);

CREATE TABLE public.model_spending (
    scope text NOT NULL,
    day date NOT NULL,
    micros bigint NOT NULL,
    CONSTRAINT ck_model_spending_scope CHECK ((scope = ANY (ARRAY['trial'::text, 'installation'::text])))
);

CREATE TABLE public.oauth_clients (
    id text NOT NULL,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    network text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);

CREATE TABLE public.oauth_codes (
    client_id text NOT NULL,
    id text NOT NULL,
    digest bytea NOT NULL,
    user_id text NOT NULL,
    oauth_client_id text NOT NULL,
    label text NOT NULL,
    redirect_uri text NOT NULL,
    challenge text NOT NULL,
    scopes text[],
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    key_id text
);

CREATE TABLE public.order_facts (
    client_id text NOT NULL,
    integration_id text NOT NULL,
    order_id text NOT NULL,
    number text,
    customer_key text,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    version timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.outbox (
    client_id text NOT NULL,
    id text NOT NULL,
    event text NOT NULL,
    dedup_key text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    body bytea
);

CREATE TABLE public.own_heads (
    client_id text NOT NULL,
    id text NOT NULL,
    state text NOT NULL,
    model text NOT NULL,
    tickets integer NOT NULL,
    won integer NOT NULL,
    lost integer NOT NULL,
    both_right integer NOT NULL,
    weights bytea,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_own_heads_state CHECK ((state = ANY (ARRAY['used'::text, 'no_better'::text, 'too_few'::text]))),
    CONSTRAINT ck_own_heads_weights CHECK ((octet_length(weights) <= 51200))
);

CREATE TABLE public.page_drafts (
    client_id text NOT NULL,
    user_id text NOT NULL,
    form text NOT NULL,
    fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    saved_at timestamp with time zone NOT NULL
);

CREATE TABLE public.payment_events (
    id text NOT NULL,
    type text NOT NULL,
    client_id text,
    checkout_id text,
    amount bigint,
    currency text,
    state text NOT NULL,
    problem text,
    created_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_payment_events_problem CHECK (((state = 'people'::text) = (problem IS NOT NULL))),
    CONSTRAINT ck_payment_events_state CHECK ((state = ANY (ARRAY['applied'::text, 'noted'::text, 'people'::text])))
);

CREATE TABLE public.playbook_versions (
    client_id text NOT NULL,
    playbook_id text NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    event_type text NOT NULL,
    threshold double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    rulebook jsonb DEFAULT '{}'::jsonb NOT NULL,
    author text,
    note text,
    live_at timestamp with time zone,
    stopped_at timestamp with time zone,
    CONSTRAINT ck_playbook_versions_threshold CHECK (((threshold >= (0)::double precision) AND (threshold <= (1)::double precision)))
);

CREATE TABLE public.playbooks (
    client_id text NOT NULL,
    id text NOT NULL,
    version integer NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

CREATE TABLE public.poll_cursors (
    client_id text NOT NULL,
    integration_id text NOT NULL,
    "position" jsonb DEFAULT '{}'::jsonb NOT NULL,
    polled_at timestamp with time zone NOT NULL,
    error_code text,
    failures integer DEFAULT 0 NOT NULL
);

CREATE UNLOGGED TABLE public.rate_windows (
    scope text NOT NULL,
    key text NOT NULL,
    hits timestamp with time zone[] NOT NULL,
    lapses_at timestamp with time zone NOT NULL
);

CREATE TABLE public.ratings (
    client_id text NOT NULL,
    id text NOT NULL,
    run_id text NOT NULL,
    score smallint NOT NULL,
    comment text,
    channel text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone,
    CONSTRAINT ck_ratings_channel CHECK ((channel = ANY (ARRAY['mail'::text, 'widget'::text]))),
    CONSTRAINT ck_ratings_score CHECK (((score >= 1) AND (score <= 5)))
);

CREATE TABLE public.replay_changes (
    client_id text NOT NULL,
    replay_id text NOT NULL,
    event_id text NOT NULL,
    kind text NOT NULL,
    before jsonb NOT NULL,
    after jsonb NOT NULL,
    draft text NOT NULL
);

CREATE TABLE public.replays (
    client_id text NOT NULL,
    id text NOT NULL,
    variant jsonb DEFAULT '{}'::jsonb NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    state text NOT NULL,
    budget_micros bigint NOT NULL,
    budget_s integer NOT NULL,
    place text,
    total integer DEFAULT 0 NOT NULL,
    examined integer DEFAULT 0 NOT NULL,
    changed integer DEFAULT 0 NOT NULL,
    tally jsonb DEFAULT '{}'::jsonb NOT NULL,
    cost_micros bigint DEFAULT '0'::bigint NOT NULL,
    worked_ms bigint DEFAULT '0'::bigint NOT NULL,
    stopped_because text,
    started_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ck_replays_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'stopped'::text, 'failed'::text])))
);

CREATE TABLE public.response_templates (
    client_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    category text NOT NULL,
    language text NOT NULL,
    body text NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone,
    intent text,
    not_for jsonb DEFAULT '[]'::jsonb NOT NULL,
    is_starter boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_response_templates_language CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text])))
);

CREATE TABLE public.saved_cases (
    client_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    scenario jsonb DEFAULT '{}'::jsonb NOT NULL,
    expected jsonb DEFAULT '{}'::jsonb NOT NULL,
    must boolean DEFAULT true NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    pass_rate double precision DEFAULT '1'::double precision NOT NULL,
    origin text NOT NULL,
    run_id text,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone,
    CONSTRAINT ck_saved_cases_pass_rate CHECK (((pass_rate > (0)::double precision) AND (pass_rate <= (1)::double precision))),
    CONSTRAINT ck_saved_cases_tries CHECK (((tries >= 1) AND (tries <= 10)))
);

CREATE TABLE public.sentiment_logs (
    client_id text NOT NULL,
    id text NOT NULL,
    conversation_id text NOT NULL,
    event_id text NOT NULL,
    score double precision NOT NULL,
    is_critical boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_sentiment_logs_score CHECK (((score >= ('-1'::integer)::double precision) AND (score <= (1)::double precision)))
);

CREATE TABLE public.sessions (
    id text NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    digest bytea NOT NULL,
    family_digest bytea,
    network text NOT NULL,
    agent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT ck_sessions_kind CHECK ((kind = ANY (ARRAY['browser'::text, 'refresh'::text])))
);

CREATE TABLE public.shadow_drafts (
    client_id text NOT NULL,
    run_id text NOT NULL,
    playbook_id text NOT NULL,
    playbook_version integer NOT NULL,
    classification text NOT NULL,
    confidence double precision NOT NULL,
    reason text,
    draft text NOT NULL,
    plan jsonb DEFAULT '[]'::jsonb NOT NULL,
    decision text,
    sent text,
    comparison jsonb,
    created_at timestamp with time zone NOT NULL,
    compared_at timestamp with time zone
);

CREATE TABLE public.sign_in_codes (
    id text NOT NULL,
    email text NOT NULL,
    digest bytea NOT NULL,
    sealed_code text,
    brand_name text,
    language text NOT NULL,
    tries_left smallint NOT NULL,
    opens_account boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    network text,
    admitted boolean DEFAULT true NOT NULL,
    tries_elsewhere smallint DEFAULT '3'::smallint NOT NULL
);

CREATE TABLE public.sign_in_links (
    digest bytea NOT NULL,
    user_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);

CREATE TABLE public.site_imports (
    client_id text NOT NULL,
    id text NOT NULL,
    url text NOT NULL,
    scope text NOT NULL,
    state text NOT NULL,
    robots bytea,
    follows boolean DEFAULT false NOT NULL,
    pause_s double precision DEFAULT '0'::double precision NOT NULL,
    bytes_read bigint DEFAULT '0'::bigint NOT NULL,
    error_code text,
    started_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ck_site_imports_scope CHECK ((scope = ANY (ARRAY['site'::text, 'page'::text]))),
    CONSTRAINT ck_site_imports_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

CREATE TABLE public.site_pages (
    client_id text NOT NULL,
    import_id text NOT NULL,
    place integer NOT NULL,
    url text NOT NULL,
    depth integer NOT NULL,
    state text NOT NULL,
    note text,
    title text DEFAULT ''::text NOT NULL,
    bytes_read bigint DEFAULT '0'::bigint NOT NULL,
    read_at timestamp with time zone
);

CREATE TABLE public.suggestions (
    client_id text NOT NULL,
    id text NOT NULL,
    proposed jsonb NOT NULL,
    reason text NOT NULL,
    suggested_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    source jsonb
);

CREATE TABLE public.thresholds_sent (
    client_id text NOT NULL,
    period text NOT NULL,
    threshold integer NOT NULL,
    tickets_used bigint NOT NULL,
    tickets_limit bigint NOT NULL,
    credits_balance bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_thresholds_sent_period CHECK ((period ~ '^\d{4}-(0[1-9]|1[0-2])$'::text)),
    CONSTRAINT ck_thresholds_sent_threshold CHECK ((threshold = ANY (ARRAY[80, 100])))
);

CREATE TABLE public.ticket_events (
    client_id text NOT NULL,
    event text NOT NULL,
    ticket_key text NOT NULL,
    number integer NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_ticket_events_number CHECK ((number > 0))
);

CREATE TABLE public.usage_counters (
    client_id text NOT NULL,
    period text NOT NULL,
    tickets_used bigint NOT NULL,
    CONSTRAINT ck_usage_counters_period CHECK ((period ~ '^\d{4}-(0[1-9]|1[0-2])$'::text)),
    CONSTRAINT ck_usage_counters_tickets_used CHECK ((tickets_used >= 0))
);

CREATE TABLE public.usage_ledger (
    client_id text NOT NULL,
    event_id text NOT NULL,
    period text NOT NULL,
    paid_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    returned_at timestamp with time zone,
    CONSTRAINT ck_usage_ledger_paid_by CHECK ((paid_by = ANY (ARRAY['quota'::text, 'credit'::text]))),
    CONSTRAINT ck_usage_ledger_period CHECK ((period ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
);

CREATE TABLE public.user_preferences (
    user_id text NOT NULL,
    client_id text,
    language text,
    time_zone text NOT NULL,
    theme text NOT NULL,
    single_keys boolean NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_user_preferences_language CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text]))),
    CONSTRAINT ck_user_preferences_theme CHECK ((theme = ANY (ARRAY['auto'::text, 'light'::text, 'dark'::text])))
);

CREATE TABLE public.users (
    id text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone
);

CREATE TABLE public.webhook_deliveries (
    client_id text NOT NULL,
    id text NOT NULL,
    webhook_id text NOT NULL,
    event text NOT NULL,
    event_id text NOT NULL,
    run_id text,
    trigger text NOT NULL,
    replay_of text,
    url text NOT NULL,
    status text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    failure_kind text,
    error text,
    response_status integer,
    response_body text,
    remote_ip text,
    request_headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    request_body bytea NOT NULL,
    duration_ms integer,
    dns_ms integer,
    connect_ms integer,
    first_byte_ms integer,
    failure_count_after integer,
    disabled_webhook boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT ck_webhook_deliveries_failure_kind CHECK ((failure_kind = ANY (ARRAY['http_3xx'::text, 'http_4xx'::text, 'http_5xx'::text, 'timeout'::text, 'dns'::text, 'tls'::text, 'connect'::text, 'blocked_address'::text, 'too_large'::text, 'protocol'::text]))),
    CONSTRAINT ck_webhook_deliveries_finished_at CHECK (((status = 'pending'::text) = (finished_at IS NULL))),
    CONSTRAINT ck_webhook_deliveries_status CHECK ((status = ANY (ARRAY['pending'::text, 'success'::text, 'failed'::text, 'skipped'::text]))),
    CONSTRAINT ck_webhook_deliveries_trigger CHECK ((trigger = ANY (ARRAY['event'::text, 'replay'::text, 'test'::text])))
);

CREATE TABLE public.webhook_misses (
    client_id text NOT NULL,
    webhook_id text NOT NULL,
    event_id text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.webhook_subscriptions (
    client_id text NOT NULL,
    id text NOT NULL,
    label text NOT NULL,
    url text NOT NULL,
    events jsonb DEFAULT '[]'::jsonb NOT NULL,
    retry_policy text NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    failure_count integer DEFAULT 0 NOT NULL,
    disabled_at timestamp with time zone,
    disabled_reason text,
    secret_sealed text NOT NULL,
    previous_sealed text,
    previous_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    once_per_ticket boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_webhook_subscriptions_disabled CHECK (((is_active = (disabled_at IS NULL)) AND (is_active = (disabled_reason IS NULL)))),
    CONSTRAINT ck_webhook_subscriptions_disabled_reason CHECK ((disabled_reason = ANY (ARRAY['failures'::text, 'gone'::text, 'manual'::text]))),
    CONSTRAINT ck_webhook_subscriptions_failure_count CHECK ((failure_count >= 0)),
    CONSTRAINT ck_webhook_subscriptions_label CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100))),
    CONSTRAINT ck_webhook_subscriptions_previous_until CHECK (((previous_sealed IS NULL) = (previous_until IS NULL))),
    CONSTRAINT ck_webhook_subscriptions_retry_policy CHECK ((retry_policy = ANY (ARRAY['none'::text, 'standard'::text])))
);

CREATE TABLE public.widget_codes (
    client_id text NOT NULL,
    id text NOT NULL,
    session_id text NOT NULL,
    email text NOT NULL,
    network text NOT NULL,
    digest bytea NOT NULL,
    sealed_code text,
    tries_left smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    is_shared boolean DEFAULT false NOT NULL,
    language text
);

CREATE TABLE public.widget_sessions (
    client_id text NOT NULL,
    id text NOT NULL,
    verified_email text,
    verified_by text,
    verified_at timestamp with time zone,
    language text NOT NULL,
    last_number integer DEFAULT 0 NOT NULL,
    seen_number integer DEFAULT 0 NOT NULL,
    mailed_number integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_widget_sessions_verified CHECK ((((verified_email IS NULL) = (verified_by IS NULL)) AND ((verified_email IS NULL) = (verified_at IS NULL)))),
    CONSTRAINT ck_widget_sessions_verified_by CHECK ((verified_by = ANY (ARRAY['signature'::text, 'code'::text])))
);

CREATE TABLE public.widgets (
    client_id text NOT NULL,
    allowed_origins jsonb DEFAULT '[]'::jsonb NOT NULL,
    hourly_messages integer,
    monthly_tickets integer,
    accepts_api_keys boolean DEFAULT true NOT NULL,
    api_key_used_at timestamp with time zone,
    sealed_secret text,
    previous_sealed_secret text,
    previous_secret_until timestamp with time zone,
    previous_key text,
    previous_key_until timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    vouches boolean DEFAULT true NOT NULL,
    secret_since timestamp with time zone,
    CONSTRAINT ck_widgets_hourly_messages CHECK ((hourly_messages > 0)),
    CONSTRAINT ck_widgets_monthly_tickets CHECK ((monthly_tickets > 0))
);

ALTER TABLE public.engine_messages ADD CONSTRAINT ck_engine_messages_origin CHECK ((num_nonnulls(event_id, reply_id) = 1)) NOT VALID;
ALTER TABLE public.action_ledger ADD CONSTRAINT pk_action_ledger PRIMARY KEY (client_id, id);
ALTER TABLE public.address_codes ADD CONSTRAINT pk_address_codes PRIMARY KEY (client_id, id);
ALTER TABLE public.ai_conversations ADD CONSTRAINT pk_ai_conversations PRIMARY KEY (client_id, id);
ALTER TABLE public.api_keys ADD CONSTRAINT pk_api_keys PRIMARY KEY (client_id, id);
ALTER TABLE public.attachment_chunks ADD CONSTRAINT pk_attachment_chunks PRIMARY KEY (client_id, attachment_id, seq);
ALTER TABLE public.attachments ADD CONSTRAINT pk_attachments PRIMARY KEY (client_id, id);
ALTER TABLE public.audit_anchors ADD CONSTRAINT pk_audit_anchors PRIMARY KEY (client_id, seq);
ALTER TABLE public.audit_entries ADD CONSTRAINT pk_audit_entries PRIMARY KEY (client_id, seq);
ALTER TABLE public.audit_heads ADD CONSTRAINT pk_audit_heads PRIMARY KEY (client_id);
ALTER TABLE public.automation_events ADD CONSTRAINT pk_automation_events PRIMARY KEY (client_id, id);
ALTER TABLE public.brain_costs ADD CONSTRAINT pk_brain_costs PRIMARY KEY (client_id, period);
ALTER TABLE public.case_results ADD CONSTRAINT pk_case_results PRIMARY KEY (client_id, case_run_id, case_id);
ALTER TABLE public.case_runs ADD CONSTRAINT pk_case_runs PRIMARY KEY (client_id, id);
ALTER TABLE public.checkouts ADD CONSTRAINT pk_checkouts PRIMARY KEY (client_id, id);
ALTER TABLE public.churn_predictions ADD CONSTRAINT pk_churn_predictions PRIMARY KEY (client_id, id);
ALTER TABLE public.client_settings ADD CONSTRAINT pk_client_settings PRIMARY KEY (client_id);
ALTER TABLE public.client_users ADD CONSTRAINT pk_client_users PRIMARY KEY (client_id, user_id);
ALTER TABLE public.clients ADD CONSTRAINT pk_clients PRIMARY KEY (id);
ALTER TABLE public.conversation_notes ADD CONSTRAINT pk_conversation_notes PRIMARY KEY (client_id, id);
ALTER TABLE public.conversation_replies ADD CONSTRAINT pk_conversation_replies PRIMARY KEY (client_id, id);
ALTER TABLE public.corrections ADD CONSTRAINT pk_corrections PRIMARY KEY (client_id, id);
ALTER TABLE public.credit_ledger ADD CONSTRAINT pk_credit_ledger PRIMARY KEY (client_id, id);
ALTER TABLE public.customer_memories ADD CONSTRAINT pk_customer_memories PRIMARY KEY (client_id, key);
ALTER TABLE public.customer_words ADD CONSTRAINT pk_customer_words PRIMARY KEY (client_id, word, customer_id);
ALTER TABLE public.customers ADD CONSTRAINT pk_customers PRIMARY KEY (client_id, id);
ALTER TABLE public.data_requests ADD CONSTRAINT pk_data_requests PRIMARY KEY (client_id, id);
ALTER TABLE public.dismissed_pages ADD CONSTRAINT pk_dismissed_pages PRIMARY KEY (client_id, url);
ALTER TABLE public.engine_events ADD CONSTRAINT pk_engine_events PRIMARY KEY (client_id, id);
ALTER TABLE public.engine_messages ADD CONSTRAINT pk_engine_messages PRIMARY KEY (client_id, id);
ALTER TABLE public.engine_runs ADD CONSTRAINT pk_engine_runs PRIMARY KEY (client_id, id);
ALTER TABLE public.erasures ADD CONSTRAINT pk_erasures PRIMARY KEY (id);
ALTER TABLE public.error_reports ADD CONSTRAINT pk_error_reports PRIMARY KEY (id);
ALTER TABLE public.escalation_tickets ADD CONSTRAINT pk_escalation_tickets PRIMARY KEY (client_id, id);
ALTER TABLE public.form_posts ADD CONSTRAINT pk_form_posts PRIMARY KEY (client_id, once);
ALTER TABLE public.helpdesk_pauses ADD CONSTRAINT pk_helpdesk_pauses PRIMARY KEY (client_id, integration_id, ticket_id);
ALTER TABLE public.home_visits ADD CONSTRAINT pk_home_visits PRIMARY KEY (client_id, user_id);
ALTER TABLE public.idempotency_keys ADD CONSTRAINT pk_idempotency_keys PRIMARY KEY (client_id, key);
ALTER TABLE public.inbound_endpoints ADD CONSTRAINT pk_inbound_endpoints PRIMARY KEY (client_id, integration_id);
ALTER TABLE public.inbound_messages ADD CONSTRAINT pk_inbound_messages PRIMARY KEY (client_id, integration_id, message_key);
ALTER TABLE public.inbound_refusals ADD CONSTRAINT pk_inbound_refusals PRIMARY KEY (client_id, integration_id, reason, hour);
ALTER TABLE public.inbound_webhooks ADD CONSTRAINT pk_inbound_webhooks PRIMARY KEY (client_id, id);
ALTER TABLE public.inbox_views ADD CONSTRAINT pk_inbox_views PRIMARY KEY (client_id, id);
ALTER TABLE public.installation_stops ADD CONSTRAINT pk_installation_stops PRIMARY KEY (id);
ALTER TABLE public.integrations ADD CONSTRAINT pk_integrations PRIMARY KEY (client_id, id);
ALTER TABLE public.invitations ADD CONSTRAINT pk_invitations PRIMARY KEY (client_id, id);
ALTER TABLE public.knowledge_chunks ADD CONSTRAINT pk_knowledge_chunks PRIMARY KEY (client_id, entry_id, place);
ALTER TABLE public.knowledge_entries ADD CONSTRAINT pk_knowledge_entries PRIMARY KEY (client_id, id);
ALTER TABLE public.labelled_examples ADD CONSTRAINT pk_labelled_examples PRIMARY KEY (client_id, id);
ALTER TABLE public.loosenings ADD CONSTRAINT pk_loosenings PRIMARY KEY (client_id, id);
ALTER TABLE public.mail_counts ADD CONSTRAINT pk_mail_counts PRIMARY KEY (scope, key, day);
ALTER TABLE public.mail_senders ADD CONSTRAINT pk_mail_senders PRIMARY KEY (client_id);
ALTER TABLE public.member_mails ADD CONSTRAINT pk_member_mails PRIMARY KEY (client_id, id);
ALTER TABLE public.member_notices ADD CONSTRAINT pk_member_notices PRIMARY KEY (client_id, user_id, kind, subject);
ALTER TABLE public.member_notifications ADD CONSTRAINT pk_member_notifications PRIMARY KEY (client_id, user_id);
ALTER TABLE public.metrics_daily ADD CONSTRAINT pk_metrics_daily PRIMARY KEY (client_id, day);
ALTER TABLE public.model_alarms ADD CONSTRAINT pk_model_alarms PRIMARY KEY (client_id, fault);
ALTER TABLE public.model_spending ADD CONSTRAINT pk_model_spending PRIMARY KEY (scope, day);
ALTER TABLE public.oauth_clients ADD CONSTRAINT pk_oauth_clients PRIMARY KEY (id);
ALTER TABLE public.oauth_codes ADD CONSTRAINT pk_oauth_codes PRIMARY KEY (client_id, id);
ALTER TABLE public.order_facts ADD CONSTRAINT pk_order_facts PRIMARY KEY (client_id, integration_id, order_id);
ALTER TABLE public.outbox ADD CONSTRAINT pk_outbox PRIMARY KEY (client_id, id);
ALTER TABLE public.own_heads ADD CONSTRAINT pk_own_heads PRIMARY KEY (client_id, id);
ALTER TABLE public.page_drafts ADD CONSTRAINT pk_page_drafts PRIMARY KEY (client_id, user_id, form);
ALTER TABLE public.payment_events ADD CONSTRAINT pk_payment_events PRIMARY KEY (id);
ALTER TABLE public.playbook_versions ADD CONSTRAINT pk_playbook_versions PRIMARY KEY (client_id, playbook_id, version);
ALTER TABLE public.playbooks ADD CONSTRAINT pk_playbooks PRIMARY KEY (client_id, id);
ALTER TABLE public.poll_cursors ADD CONSTRAINT pk_poll_cursors PRIMARY KEY (client_id, integration_id);
ALTER TABLE public.rate_windows ADD CONSTRAINT pk_rate_windows PRIMARY KEY (scope, key);
ALTER TABLE public.ratings ADD CONSTRAINT pk_ratings PRIMARY KEY (client_id, id);
ALTER TABLE public.replay_changes ADD CONSTRAINT pk_replay_changes PRIMARY KEY (client_id, replay_id, event_id);
ALTER TABLE public.replays ADD CONSTRAINT pk_replays PRIMARY KEY (client_id, id);
ALTER TABLE public.response_templates ADD CONSTRAINT pk_response_templates PRIMARY KEY (client_id, id);
ALTER TABLE public.saved_cases ADD CONSTRAINT pk_saved_cases PRIMARY KEY (client_id, id);
ALTER TABLE public.sentiment_logs ADD CONSTRAINT pk_sentiment_logs PRIMARY KEY (client_id, id);
ALTER TABLE public.sessions ADD CONSTRAINT pk_sessions PRIMARY KEY (id);
ALTER TABLE public.shadow_drafts ADD CONSTRAINT pk_shadow_drafts PRIMARY KEY (client_id, run_id);
ALTER TABLE public.sign_in_codes ADD CONSTRAINT pk_sign_in_codes PRIMARY KEY (id);
ALTER TABLE public.sign_in_links ADD CONSTRAINT pk_sign_in_links PRIMARY KEY (digest);
ALTER TABLE public.site_imports ADD CONSTRAINT pk_site_imports PRIMARY KEY (client_id, id);
ALTER TABLE public.site_pages ADD CONSTRAINT pk_site_pages PRIMARY KEY (client_id, import_id, place);
ALTER TABLE public.suggestions ADD CONSTRAINT pk_suggestions PRIMARY KEY (client_id, id);
ALTER TABLE public.thresholds_sent ADD CONSTRAINT pk_thresholds_sent PRIMARY KEY (client_id, period, threshold);
ALTER TABLE public.ticket_events ADD CONSTRAINT pk_ticket_events PRIMARY KEY (client_id, event, ticket_key);
ALTER TABLE public.usage_counters ADD CONSTRAINT pk_usage_counters PRIMARY KEY (client_id, period);
ALTER TABLE public.usage_ledger ADD CONSTRAINT pk_usage_ledger PRIMARY KEY (client_id, event_id);
ALTER TABLE public.user_preferences ADD CONSTRAINT pk_user_preferences PRIMARY KEY (user_id);
ALTER TABLE public.users ADD CONSTRAINT pk_users PRIMARY KEY (id);
ALTER TABLE public.webhook_deliveries ADD CONSTRAINT pk_webhook_deliveries PRIMARY KEY (client_id, id);
ALTER TABLE public.webhook_misses ADD CONSTRAINT pk_webhook_misses PRIMARY KEY (client_id, webhook_id, event_id);
ALTER TABLE public.webhook_subscriptions ADD CONSTRAINT pk_webhook_subscriptions PRIMARY KEY (client_id, id);
ALTER TABLE public.widget_codes ADD CONSTRAINT pk_widget_codes PRIMARY KEY (client_id, id);
ALTER TABLE public.widget_sessions ADD CONSTRAINT pk_widget_sessions PRIMARY KEY (client_id, id);
ALTER TABLE public.widgets ADD CONSTRAINT pk_widgets PRIMARY KEY (client_id);
ALTER TABLE public.action_ledger ADD CONSTRAINT uq_action_ledger_client_id_run_id_step_round UNIQUE (client_id, run_id, step, round);
ALTER TABLE public.ai_conversations ADD CONSTRAINT uq_ai_conversations_client_id_key UNIQUE (client_id, key);
ALTER TABLE public.api_keys ADD CONSTRAINT uq_api_keys_digest UNIQUE (digest);
ALTER TABLE public.churn_predictions ADD CONSTRAINT uq_churn_predictions_client_id_week_customer_email UNIQUE (client_id, week, customer_email);
ALTER TABLE public.client_settings ADD CONSTRAINT uq_client_settings_widget_key UNIQUE (widget_key);
ALTER TABLE public.conversation_replies ADD CONSTRAINT uq_conversation_replies_client_id_run_id_step UNIQUE (client_id, run_id, step);
ALTER TABLE public.corrections ADD CONSTRAINT uq_corrections_client_id_review_id UNIQUE (client_id, review_id);
ALTER TABLE public.credit_ledger ADD CONSTRAINT uq_credit_ledger_client_id_event_id UNIQUE (client_id, event_id);
ALTER TABLE public.customers ADD CONSTRAINT uq_customers_client_id_key UNIQUE (client_id, key);
ALTER TABLE public.engine_messages ADD CONSTRAINT uq_engine_messages_client_id_event_id_direction UNIQUE (client_id, event_id, direction);
ALTER TABLE public.engine_runs ADD CONSTRAINT uq_engine_runs_client_id_event_id UNIQUE (client_id, event_id);
ALTER TABLE public.escalation_tickets ADD CONSTRAINT uq_escalation_tickets_client_id_run_id_round UNIQUE (client_id, run_id, round);
ALTER TABLE public.inbound_endpoints ADD CONSTRAINT uq_inbound_endpoints_token_digest UNIQUE (token_digest);
ALTER TABLE public.labelled_examples ADD CONSTRAINT uq_labelled_examples_client_id_run_id UNIQUE (client_id, run_id);
ALTER TABLE public.member_mails ADD CONSTRAINT uq_member_mails_client_id_user_id_digest_day UNIQUE (client_id, user_id, digest_day);
ALTER TABLE public.oauth_codes ADD CONSTRAINT uq_oauth_codes_digest UNIQUE (digest);
ALTER TABLE public.outbox ADD CONSTRAINT uq_outbox_client_id_event_dedup_key UNIQUE (client_id, event, dedup_key);
ALTER TABLE public.ratings ADD CONSTRAINT uq_ratings_client_id_run_id UNIQUE (client_id, run_id);
ALTER TABLE public.saved_cases ADD CONSTRAINT uq_saved_cases_client_id_name UNIQUE (client_id, name);
ALTER TABLE public.sentiment_logs ADD CONSTRAINT uq_sentiment_logs_client_id_event_id UNIQUE (client_id, event_id);
ALTER TABLE public.sessions ADD CONSTRAINT uq_sessions_digest UNIQUE (digest);
ALTER TABLE public.sessions ADD CONSTRAINT uq_sessions_family_digest UNIQUE (family_digest);
ALTER TABLE public.site_pages ADD CONSTRAINT uq_site_pages_client_id_import_id_url UNIQUE (client_id, import_id, url);
ALTER TABLE public.users ADD CONSTRAINT uq_users_email UNIQUE (email);
ALTER TABLE public.widgets ADD CONSTRAINT uq_widgets_previous_key UNIQUE (previous_key);
CREATE INDEX ix_action_ledger_customer ON public.action_ledger USING btree (client_id, customer_key, planned_at) WHERE ((customer_key IS NOT NULL) AND (amount IS NOT NULL));
CREATE INDEX ix_action_ledger_mails ON public.action_ledger USING btree (client_id, reference) WHERE (action = 'reply_by_email'::text);
CREATE INDEX ix_action_ledger_money ON public.action_ledger USING btree (client_id, planned_at) WHERE ((order_key IS NOT NULL) AND (state <> 'failed'::text));
CREATE INDEX ix_action_ledger_order ON public.action_ledger USING btree (client_id, order_key) WHERE ((order_key IS NOT NULL) AND (state <> 'failed'::text));
CREATE INDEX ix_action_ledger_pseudonyms ON public.action_ledger USING btree (planned_at) WHERE ("left"(customer_key, 7) = 'erased:'::text);
CREATE INDEX ix_action_ledger_ticket ON public.action_ledger USING btree (client_id, integration_id, ticket_id) WHERE (ticket_id IS NOT NULL);
CREATE INDEX ix_address_codes_client_id_conversation_id ON public.address_codes USING btree (client_id, conversation_id);
CREATE INDEX ix_address_codes_client_id_email_created_at ON public.address_codes USING btree (client_id, email, created_at);
CREATE INDEX ix_address_codes_created_at ON public.address_codes USING btree (created_at);
CREATE INDEX ix_ai_conversations_assigned ON public.ai_conversations USING btree (client_id, assignee, last_message_at, id) WHERE (assignee IS NOT NULL);
CREATE INDEX ix_ai_conversations_assigned_open ON public.ai_conversations USING btree (client_id, assignee, last_message_at, id) WHERE ((assignee IS NOT NULL) AND (closed_at IS NULL));
CREATE INDEX ix_ai_conversations_client_id_last_message_at_id ON public.ai_conversations USING btree (client_id, last_message_at, id);
CREATE INDEX ix_ai_conversations_client_id_memory_key_last_message_at ON public.ai_conversations USING btree (client_id, memory_key, last_message_at);
CREATE INDEX ix_ai_conversations_closed ON public.ai_conversations USING btree (client_id, last_message_at, id) WHERE (closed_at IS NOT NULL);
CREATE INDEX ix_ai_conversations_critical ON public.ai_conversations USING btree (client_id, last_message_at, id) WHERE is_critical;
CREATE INDEX ix_ai_conversations_id ON public.ai_conversations USING btree (id);
CREATE INDEX ix_ai_conversations_open ON public.ai_conversations USING btree (client_id, last_message_at, id) WHERE (closed_at IS NULL);
CREATE INDEX ix_ai_conversations_snoozed ON public.ai_conversations USING btree (client_id, last_message_at, id) WHERE (snoozed_until IS NOT NULL);
CREATE INDEX ix_ai_conversations_tagged ON public.ai_conversations USING btree (client_id, last_message_at, id) WHERE (tags <> '[]'::jsonb);
CREATE INDEX ix_ai_conversations_taken ON public.ai_conversations USING btree (client_id, last_message_at, id) WHERE (taken_at IS NOT NULL);
CREATE INDEX ix_ai_conversations_taken_open ON public.ai_conversations USING btree (client_id, taken_by, last_message_at, id) WHERE ((taken_at IS NOT NULL) AND (closed_at IS NULL));
CREATE INDEX ix_ai_conversations_unanswered ON public.ai_conversations USING btree (client_id, answer_skipped, waiting_since, id) WHERE ((waiting_since IS NOT NULL) AND (closed_at IS NULL));
CREATE INDEX ix_api_keys_id ON public.api_keys USING btree (id);
CREATE INDEX ix_attachments_event ON public.attachments USING btree (client_id, event_id, "position");
CREATE INDEX ix_attachments_id ON public.attachments USING btree (id);
CREATE INDEX ix_attachments_reply ON public.attachments USING btree (client_id, reply_id) WHERE (reply_id IS NOT NULL);
CREATE INDEX ix_attachments_unsent ON public.attachments USING btree (client_id, uploaded_by) WHERE ((uploaded_by IS NOT NULL) AND (reply_id IS NULL));
CREATE INDEX ix_audit_anchors_day_client_id_seq ON public.audit_anchors USING btree (day, client_id, seq);
CREATE INDEX ix_automation_events_client_id_created_at ON public.automation_events USING btree (client_id, created_at);
CREATE INDEX ix_case_results_client_id_case_id_digest_created_at ON public.case_results USING btree (client_id, case_id, digest, created_at);
CREATE INDEX ix_case_runs_id ON public.case_runs USING btree (id);
CREATE INDEX ix_case_runs_unfinished ON public.case_runs USING btree (created_at, id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX ix_checkouts_id ON public.checkouts USING btree (id);
CREATE INDEX ix_churn_predictions_client_id_customer_email ON public.churn_predictions USING btree (client_id, customer_email);
CREATE INDEX ix_client_users_user_id_created_at ON public.client_users USING btree (user_id, created_at);
CREATE INDEX ix_clients_owner_user_id ON public.clients USING btree (owner_user_id);
CREATE INDEX ix_conversation_notes_client_id_conversation_id_created_at ON public.conversation_notes USING btree (client_id, conversation_id, created_at);
CREATE INDEX ix_conversation_notes_client_id_event_id ON public.conversation_notes USING btree (client_id, event_id);
CREATE INDEX ix_conversation_replies_client_id_conversation_id_created_at ON public.conversation_replies USING btree (client_id, conversation_id, created_at);
CREATE INDEX ix_conversation_replies_client_id_event_id ON public.conversation_replies USING btree (client_id, event_id);
CREATE INDEX ix_conversation_replies_id ON public.conversation_replies USING btree (id);
CREATE INDEX ix_conversation_replies_unsent ON public.conversation_replies USING btree (created_at, id) WHERE (state = ANY (ARRAY['scheduled'::text, 'sending'::text]));
CREATE INDEX ix_corrections_client_id_run_id ON public.corrections USING btree (client_id, run_id);
CREATE INDEX ix_corrections_client_id_state_created_at ON public.corrections USING btree (client_id, state, created_at);
CREATE INDEX ix_corrections_id ON public.corrections USING btree (id);
CREATE INDEX ix_customer_words_client_id_customer_id_word ON public.customer_words USING btree (client_id, customer_id, word);
CREATE INDEX ix_customers_client_id_last_contact_at_id ON public.customers USING btree (client_id, last_contact_at, id);
CREATE INDEX ix_customers_id ON public.customers USING btree (id);
CREATE INDEX ix_data_requests_id ON public.data_requests USING btree (id);
CREATE INDEX ix_data_requests_untold ON public.data_requests USING btree (id) WHERE (told_at IS NULL);
CREATE INDEX ix_engine_events_erased ON public.engine_events USING btree (client_id, id) WHERE (erased_at IS NOT NULL);
CREATE INDEX ix_engine_messages_client_id_conversation_id_created_at ON public.engine_messages USING btree (client_id, conversation_id, created_at);
CREATE INDEX ix_engine_messages_customer ON public.engine_messages USING btree (client_id, customer_key, created_at) WHERE ((direction = 'inbound'::text) AND (customer_key IS NOT NULL));
CREATE INDEX ix_engine_messages_inbound ON public.engine_messages USING btree (client_id, created_at) WHERE (direction = 'inbound'::text);
CREATE INDEX ix_engine_messages_normalized ON public.engine_messages USING btree (client_id, normalized_key, created_at) WHERE ((direction = 'inbound'::text) AND (normalized_key IS NOT NULL));
CREATE UNIQUE INDEX ix_engine_messages_reply ON public.engine_messages USING btree (client_id, reply_id) WHERE (reply_id IS NOT NULL);
CREATE INDEX ix_engine_messages_unindexed ON public.engine_messages USING btree (client_id, id) WHERE ((direction = 'inbound'::text) AND (normalized_key IS NULL) AND (conversation_id IS NOT NULL));
CREATE INDEX ix_engine_messages_widget ON public.engine_messages USING btree (client_id, created_at) WHERE ((direction = 'inbound'::text) AND (widget_session_id IS NOT NULL));
CREATE UNIQUE INDEX ix_engine_messages_widget_session ON public.engine_messages USING btree (client_id, widget_session_id, widget_number) WHERE (widget_session_id IS NOT NULL);
CREATE INDEX ix_engine_runs_client_id_classification_id ON public.engine_runs USING btree (client_id, classification, id);
CREATE INDEX ix_engine_runs_client_id_handoff_reason_id ON public.engine_runs USING btree (client_id, handoff_reason, id);
CREATE INDEX ix_engine_runs_client_id_playbook_id_id ON public.engine_runs USING btree (client_id, playbook_id, id);
CREATE INDEX ix_engine_runs_client_id_status_id ON public.engine_runs USING btree (client_id, status, id);
CREATE INDEX ix_engine_runs_id ON public.engine_runs USING btree (id);
CREATE INDEX ix_engine_runs_joined ON public.engine_runs USING btree (client_id, joined_review) WHERE (joined_review IS NOT NULL);
CREATE INDEX ix_engine_runs_received ON public.engine_runs USING btree (received_at) WHERE (status = 'received'::text);
CREATE INDEX ix_erasures_client_id ON public.erasures USING btree (client_id);
CREATE INDEX ix_error_reports_created_at ON public.error_reports USING btree (created_at);
CREATE INDEX ix_escalation_tickets_client_id_status_created_at ON public.escalation_tickets USING btree (client_id, status, created_at);
CREATE INDEX ix_escalation_tickets_conversation ON public.escalation_tickets USING btree (client_id, conversation_id) WHERE (status = ANY (ARRAY['pending'::text, 'claimed'::text]));
CREATE INDEX ix_escalation_tickets_decided ON public.escalation_tickets USING btree (client_id, decided_at, id) WHERE (decided_at IS NOT NULL);
CREATE INDEX ix_escalation_tickets_id ON public.escalation_tickets USING btree (id);
CREATE INDEX ix_escalation_tickets_open ON public.escalation_tickets USING btree (client_id, urgent, created_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'claimed'::text]));
CREATE INDEX ix_escalation_tickets_undecided ON public.escalation_tickets USING btree (expires_at, id) WHERE (decided_at IS NULL);
CREATE INDEX ix_escalation_tickets_untaken ON public.escalation_tickets USING btree (decided_at) WHERE ((decided_at IS NOT NULL) AND (taken_up_at IS NULL));
CREATE INDEX ix_form_posts_created_at ON public.form_posts USING btree (created_at);
CREATE INDEX ix_idempotency_keys_created_at ON public.idempotency_keys USING btree (created_at);
CREATE INDEX ix_inbound_endpoints_previous_token_digest ON public.inbound_endpoints USING btree (previous_token_digest);
CREATE INDEX ix_inbound_messages_created_at ON public.inbound_messages USING btree (created_at);
CREATE INDEX ix_inbound_refusals_created_at ON public.inbound_refusals USING btree (created_at);
CREATE INDEX ix_inbound_webhooks_client_id_kind_id ON public.inbound_webhooks USING btree (client_id, kind, id);
CREATE INDEX ix_inbound_webhooks_created_at ON public.inbound_webhooks USING btree (created_at);
CREATE INDEX ix_inbound_webhooks_id ON public.inbound_webhooks USING btree (id);
CREATE INDEX ix_inbound_webhooks_large ON public.inbound_webhooks USING btree (client_id) WHERE ((octet_length(body) > 65536) AND (state <> 'done'::text));
CREATE INDEX ix_inbound_webhooks_unfinished ON public.inbound_webhooks USING btree (client_id, kind, state, id) WHERE (state <> ALL (ARRAY['done'::text, 'failed'::text]));
CREATE INDEX ix_inbox_views_id ON public.inbox_views USING btree (id);
CREATE INDEX ix_integrations_id ON public.integrations USING btree (id);
CREATE INDEX ix_integrations_proved_account ON public.integrations USING btree (provider, proved_account) WHERE (proved_account IS NOT NULL);
CREATE INDEX ix_invitations_email ON public.invitations USING btree (email);
CREATE INDEX ix_invitations_id ON public.invitations USING btree (id);
CREATE INDEX ix_knowledge_chunks_first ON public.knowledge_chunks USING btree (client_id, entry_id, model, digest) WHERE (place = 0);
CREATE INDEX ix_knowledge_entries_no_digest ON public.knowledge_entries USING btree (client_id, id) WHERE (digest IS NULL);
CREATE INDEX ix_knowledge_entries_search ON public.knowledge_entries USING gin (search);
CREATE INDEX ix_knowledge_entries_stale ON public.knowledge_entries USING btree (client_id, id, digest);
CREATE INDEX ix_labelled_examples_id ON public.labelled_examples USING btree (id);
CREATE INDEX ix_loosenings_due ON public.loosenings USING btree (takes_effect_at) WHERE (state = 'pending'::text);
CREATE INDEX ix_loosenings_id ON public.loosenings USING btree (id);
CREATE INDEX ix_loosenings_unnotified ON public.loosenings USING btree (created_at) WHERE (notified_at IS NULL);
CREATE INDEX ix_mail_counts_created_at ON public.mail_counts USING btree (created_at);
CREATE INDEX ix_member_mails_client_id_user_id_created_at ON public.member_mails USING btree (client_id, user_id, created_at);
CREATE INDEX ix_member_mails_created_at ON public.member_mails USING btree (created_at);
CREATE INDEX ix_member_mails_unsent ON public.member_mails USING btree (created_at) WHERE (ended_at IS NULL);
CREATE INDEX ix_member_notices_client_id_mail_id ON public.member_notices USING btree (client_id, mail_id);
CREATE INDEX ix_member_notices_created_at ON public.member_notices USING btree (created_at);
CREATE INDEX ix_member_notices_pending ON public.member_notices USING btree (client_id, user_id) WHERE (mail_id IS NULL);
CREATE INDEX ix_member_notifications_due ON public.member_notifications USING btree (digest_due_at) WHERE (digest_due_at IS NOT NULL);
CREATE INDEX ix_oauth_clients_unused ON public.oauth_clients USING btree (created_at) WHERE (used_at IS NULL);
CREATE INDEX ix_oauth_codes_created_at ON public.oauth_codes USING btree (created_at);
CREATE INDEX ix_order_facts_customer_latest ON public.order_facts USING btree (client_id, customer_key, version);
CREATE INDEX ix_order_facts_number ON public.order_facts USING btree (client_id, number);
CREATE INDEX ix_outbox_client_id_created_at ON public.outbox USING btree (client_id, created_at);
CREATE INDEX ix_outbox_with_body ON public.outbox USING btree (created_at) WHERE (body IS NOT NULL);
CREATE INDEX ix_page_drafts_saved_at ON public.page_drafts USING btree (saved_at);
CREATE INDEX ix_payment_events_client_id ON public.payment_events USING btree (client_id);
CREATE INDEX ix_payment_events_people ON public.payment_events USING btree (received_at) WHERE (state = 'people'::text);
CREATE INDEX ix_playbooks_id ON public.playbooks USING btree (id);
CREATE INDEX ix_rate_windows_lapses_at ON public.rate_windows USING btree (lapses_at);
CREATE INDEX ix_ratings_client_id_created_at ON public.ratings USING btree (client_id, created_at);
CREATE INDEX ix_replay_changes_client_id_event_id ON public.replay_changes USING btree (client_id, event_id);
CREATE INDEX ix_replays_id ON public.replays USING btree (id);
CREATE INDEX ix_replays_unfinished ON public.replays USING btree (created_at, id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX ix_saved_cases_id ON public.saved_cases USING btree (id);
CREATE INDEX ix_sentiment_logs_client_id_conversation_id_created_at ON public.sentiment_logs USING btree (client_id, conversation_id, created_at);
CREATE INDEX ix_sessions_user_id ON public.sessions USING btree (user_id);
CREATE INDEX ix_shadow_drafts_playbook ON public.shadow_drafts USING btree (client_id, playbook_id, playbook_version, created_at);
CREATE INDEX ix_sign_in_codes_created_at ON public.sign_in_codes USING btree (created_at);
CREATE INDEX ix_sign_in_codes_email_created_at ON public.sign_in_codes USING btree (email, created_at);
CREATE INDEX ix_site_imports_id ON public.site_imports USING btree (id);
CREATE INDEX ix_site_imports_unfinished ON public.site_imports USING btree (created_at, id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX ix_ticket_events_client_id_last_at ON public.ticket_events USING btree (client_id, last_at);
CREATE INDEX ix_usage_ledger_client_id_period ON public.usage_ledger USING btree (client_id, period);
CREATE INDEX ix_webhook_deliveries_client_id_event_id ON public.webhook_deliveries USING btree (client_id, event_id);
CREATE INDEX ix_webhook_deliveries_client_id_webhook_id_id ON public.webhook_deliveries USING btree (client_id, webhook_id, id);
CREATE INDEX ix_webhook_deliveries_ended ON public.webhook_deliveries USING btree (client_id, webhook_id, finished_at, id) WHERE (status <> 'pending'::text);
CREATE INDEX ix_webhook_deliveries_pending ON public.webhook_deliveries USING btree (created_at, id) WHERE (status = 'pending'::text);
CREATE INDEX ix_webhook_deliveries_run ON public.webhook_deliveries USING btree (client_id, run_id) WHERE ((status = 'pending'::text) AND (run_id IS NOT NULL));
CREATE INDEX ix_webhook_misses_client_id_webhook_id_created_at ON public.webhook_misses USING btree (client_id, webhook_id, created_at);
CREATE INDEX ix_webhook_misses_created_at ON public.webhook_misses USING btree (created_at);
CREATE INDEX ix_webhook_subscriptions_id ON public.webhook_subscriptions USING btree (id);
CREATE INDEX ix_widget_codes_client_id_email_created_at ON public.widget_codes USING btree (client_id, email, created_at);
CREATE INDEX ix_widget_codes_client_id_session_id ON public.widget_codes USING btree (client_id, session_id);
CREATE INDEX ix_widget_codes_created_at ON public.widget_codes USING btree (created_at);
CREATE INDEX ix_widget_sessions_used_at ON public.widget_sessions USING btree (used_at);
CREATE UNIQUE INDEX uq_checkouts_active ON public.checkouts USING btree (client_id) WHERE (renewal = 'active'::text);
CREATE UNIQUE INDEX ux_inbound_webhooks_delivery ON public.inbound_webhooks USING btree (client_id, provider, integration_id, dedup_key);
CREATE UNIQUE INDEX ux_integrations_live ON public.integrations USING btree (client_id, provider) WHERE (status <> 'disconnected'::text);

CREATE FUNCTION public.active_key(presented bytea) RETURNS TABLE(id text, client_id text, scopes text[], vouches boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT id, client_id, scopes, vouches FROM public.api_keys WHERE digest = presented AND is_active
$$;

CREATE FUNCTION public.add_model_spending(of_scope text, of_day date, amount bigint, ceiling bigint) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    WITH added AS (
        INSERT INTO public.model_spending AS spending (scope, day, micros)
        SELECT of_scope, of_day, amount WHERE ceiling IS NULL OR amount <= ceiling
        ON CONFLICT (scope, day) DO UPDATE SET micros = spending.micros + excluded.micros
        WHERE ceiling IS NULL OR spending.micros + excluded.micros <= ceiling
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM added)
$$;

CREATE FUNCTION public.automation_stopped(tenant text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('automation', 0));
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('automation/' || tenant, 0));
    RETURN EXISTS (SELECT FROM public.installation_stops) OR EXISTS (
        SELECT FROM public.client_settings WHERE client_id = tenant AND stopped_at IS NOT NULL);
END $$;

CREATE FUNCTION public.client_members() RETURNS TABLE(user_id text, email text, role text, verified_at timestamp with time zone, joined_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT m.user_id, u.email,
           CASE WHEN c.owner_user_id = m.user_id THEN 'owner' ELSE m.role END,
           u.verified_at, m.created_at
    FROM public.client_users AS m
    JOIN public.users AS u ON u.id = m.user_id
    JOIN public.clients AS c ON c.id = m.client_id
    WHERE m.client_id = current_setting('app.client_id', true)
$$;

CREATE FUNCTION public.client_of_widget(presented text, at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT client_id FROM public.client_settings WHERE widget_key = presented
    UNION ALL
    SELECT client_id FROM public.widgets
    WHERE previous_key = presented AND previous_key_until > at
    LIMIT 1
$$;

CREATE FUNCTION public.inbound_endpoint(presented bytea, at timestamp with time zone, ended_since timestamp with time zone) RETURNS TABLE(client_id text, integration_id text, provider text, sealed_secret text, sealed_previous_secret text, is_live boolean, vouches boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT endpoint.client_id, endpoint.integration_id, integration.provider,
           endpoint.sealed_secret,
           CASE WHEN endpoint.previous_until > at THEN endpoint.sealed_previous_secret END,
           integration.status <> 'disconnected', endpoint.vouches
    FROM public.inbound_endpoints AS endpoint
    JOIN public.integrations AS integration
      ON integration.client_id = endpoint.client_id AND integration.id = endpoint.integration_id
    JOIN public.clients AS client
      ON client.id = endpoint.client_id AND client.closed_at IS NULL
    WHERE (endpoint.token_digest = presented
           OR (endpoint.previous_token_digest = presented AND endpoint.previous_until > at))
      AND (integration.status <> 'disconnected' OR integration.disconnected_at >= ended_since)
    LIMIT 1
$$;

CREATE FUNCTION public.installation_stopped_at() RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ SELECT stopped_at FROM public.installation_stops $$;

CREATE FUNCTION public.integrations_of_account(platform text, account text, ended_since timestamp with time zone) RETURNS TABLE(client_id text, integration_id text, is_live boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT integration.client_id, integration.id, integration.status <> 'disconnected' AND integration.account_refused_at IS NULL
    FROM public.integrations AS integration
    JOIN public.clients AS client
      ON client.id = integration.client_id AND client.closed_at IS NULL
    WHERE integration.provider = platform AND integration.proved_account = account
      AND (integration.status <> 'disconnected' OR integration.disconnected_at >= ended_since)
$$;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
            RAISE EXCEPTION '% is append-only', TG_TABLE_NAME
                USING ERRCODE = 'insufficient_privilege';
        END $$;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_anchors FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON public.audit_anchors FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.action_ledger ADD CONSTRAINT fk_action_ledger_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.action_ledger ADD CONSTRAINT fk_action_ledger_client_id_run_id FOREIGN KEY (client_id, run_id) REFERENCES public.engine_runs(client_id, id);
ALTER TABLE public.address_codes ADD CONSTRAINT fk_address_codes_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.address_codes ADD CONSTRAINT fk_address_codes_client_id_conversation_id FOREIGN KEY (client_id, conversation_id) REFERENCES public.ai_conversations(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.ai_conversations ADD CONSTRAINT fk_ai_conversations_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.api_keys ADD CONSTRAINT fk_api_keys_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.attachment_chunks ADD CONSTRAINT fk_attachment_chunks_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.attachment_chunks ADD CONSTRAINT fk_attachment_chunks_client_id_attachment_id FOREIGN KEY (client_id, attachment_id) REFERENCES public.attachments(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.attachments ADD CONSTRAINT fk_attachments_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.attachments ADD CONSTRAINT fk_attachments_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.attachments ADD CONSTRAINT fk_attachments_client_id_reply_id FOREIGN KEY (client_id, reply_id) REFERENCES public.conversation_replies(client_id, id) NOT VALID;
ALTER TABLE public.automation_events ADD CONSTRAINT fk_automation_events_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.brain_costs ADD CONSTRAINT fk_brain_costs_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.case_results ADD CONSTRAINT fk_case_results_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.case_results ADD CONSTRAINT fk_case_results_client_id_case_id FOREIGN KEY (client_id, case_id) REFERENCES public.saved_cases(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.case_results ADD CONSTRAINT fk_case_results_client_id_case_run_id FOREIGN KEY (client_id, case_run_id) REFERENCES public.case_runs(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.case_runs ADD CONSTRAINT fk_case_runs_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.checkouts ADD CONSTRAINT fk_checkouts_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.churn_predictions ADD CONSTRAINT fk_churn_predictions_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.client_settings ADD CONSTRAINT fk_client_settings_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.client_users ADD CONSTRAINT fk_client_users_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.client_users ADD CONSTRAINT fk_client_users_user_id FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE public.clients ADD CONSTRAINT fk_clients_owner_user_id FOREIGN KEY (owner_user_id) REFERENCES public.users(id);
ALTER TABLE public.conversation_notes ADD CONSTRAINT fk_conversation_notes_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.conversation_notes ADD CONSTRAINT fk_conversation_notes_client_id_conversation_id FOREIGN KEY (client_id, conversation_id) REFERENCES public.ai_conversations(client_id, id);
ALTER TABLE public.conversation_notes ADD CONSTRAINT fk_conversation_notes_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.conversation_replies ADD CONSTRAINT fk_conversation_replies_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.conversation_replies ADD CONSTRAINT fk_conversation_replies_client_id_conversation_id FOREIGN KEY (client_id, conversation_id) REFERENCES public.ai_conversations(client_id, id);
ALTER TABLE public.conversation_replies ADD CONSTRAINT fk_conversation_replies_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.conversation_replies ADD CONSTRAINT fk_conversation_replies_client_id_run_id FOREIGN KEY (client_id, run_id) REFERENCES public.engine_runs(client_id, id);
ALTER TABLE public.corrections ADD CONSTRAINT fk_corrections_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.corrections ADD CONSTRAINT fk_corrections_client_id_review_id FOREIGN KEY (client_id, review_id) REFERENCES public.escalation_tickets(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.corrections ADD CONSTRAINT fk_corrections_client_id_run_id FOREIGN KEY (client_id, run_id) REFERENCES public.engine_runs(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.credit_ledger ADD CONSTRAINT fk_credit_ledger_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.customer_memories ADD CONSTRAINT fk_customer_memories_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.customer_words ADD CONSTRAINT fk_customer_words_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.customer_words ADD CONSTRAINT fk_customer_words_client_id_customer_id FOREIGN KEY (client_id, customer_id) REFERENCES public.customers(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.customers ADD CONSTRAINT fk_customers_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.data_requests ADD CONSTRAINT fk_data_requests_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.data_requests ADD CONSTRAINT fk_data_requests_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.dismissed_pages ADD CONSTRAINT fk_dismissed_pages_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.engine_events ADD CONSTRAINT fk_engine_events_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.engine_messages ADD CONSTRAINT fk_engine_messages_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.engine_messages ADD CONSTRAINT fk_engine_messages_client_id_conversation_id FOREIGN KEY (client_id, conversation_id) REFERENCES public.ai_conversations(client_id, id);
ALTER TABLE public.engine_messages ADD CONSTRAINT fk_engine_messages_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.engine_messages ADD CONSTRAINT fk_engine_messages_client_id_reply_id FOREIGN KEY (client_id, reply_id) REFERENCES public.conversation_replies(client_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE public.engine_runs ADD CONSTRAINT fk_engine_runs_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.engine_runs ADD CONSTRAINT fk_engine_runs_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.engine_runs ADD CONSTRAINT fk_engine_runs_client_id_playbook_id_playbook_version FOREIGN KEY (client_id, playbook_id, playbook_version) REFERENCES public.playbook_versions(client_id, playbook_id, version);
ALTER TABLE public.escalation_tickets ADD CONSTRAINT fk_escalation_tickets_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.escalation_tickets ADD CONSTRAINT fk_escalation_tickets_client_id_run_id FOREIGN KEY (client_id, run_id) REFERENCES public.engine_runs(client_id, id);
ALTER TABLE public.form_posts ADD CONSTRAINT fk_form_posts_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.helpdesk_pauses ADD CONSTRAINT fk_helpdesk_pauses_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.helpdesk_pauses ADD CONSTRAINT fk_helpdesk_pauses_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.home_visits ADD CONSTRAINT fk_home_visits_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.idempotency_keys ADD CONSTRAINT fk_idempotency_keys_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.inbound_endpoints ADD CONSTRAINT fk_inbound_endpoints_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.inbound_endpoints ADD CONSTRAINT fk_inbound_endpoints_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.inbound_messages ADD CONSTRAINT fk_inbound_messages_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.inbound_messages ADD CONSTRAINT fk_inbound_messages_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.inbound_refusals ADD CONSTRAINT fk_inbound_refusals_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.inbound_refusals ADD CONSTRAINT fk_inbound_refusals_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.inbound_webhooks ADD CONSTRAINT fk_inbound_webhooks_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.inbound_webhooks ADD CONSTRAINT fk_inbound_webhooks_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.inbox_views ADD CONSTRAINT fk_inbox_views_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.integrations ADD CONSTRAINT fk_integrations_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.invitations ADD CONSTRAINT fk_invitations_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.knowledge_chunks ADD CONSTRAINT fk_knowledge_chunks_client_id_entry_id FOREIGN KEY (client_id, entry_id) REFERENCES public.knowledge_entries(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.knowledge_entries ADD CONSTRAINT fk_knowledge_entries_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.labelled_examples ADD CONSTRAINT fk_labelled_examples_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.loosenings ADD CONSTRAINT fk_loosenings_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.mail_senders ADD CONSTRAINT fk_mail_senders_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.member_mails ADD CONSTRAINT fk_member_mails_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.member_notices ADD CONSTRAINT fk_member_notices_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.member_notifications ADD CONSTRAINT fk_member_notifications_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.metrics_daily ADD CONSTRAINT fk_metrics_daily_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.model_alarms ADD CONSTRAINT fk_model_alarms_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.oauth_codes ADD CONSTRAINT fk_oauth_codes_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.order_facts ADD CONSTRAINT fk_order_facts_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.order_facts ADD CONSTRAINT fk_order_facts_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.outbox ADD CONSTRAINT fk_outbox_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.own_heads ADD CONSTRAINT fk_own_heads_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.page_drafts ADD CONSTRAINT fk_page_drafts_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.playbook_versions ADD CONSTRAINT fk_playbook_versions_client_id_playbook_id FOREIGN KEY (client_id, playbook_id) REFERENCES public.playbooks(client_id, id);
ALTER TABLE public.playbooks ADD CONSTRAINT fk_playbooks_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.poll_cursors ADD CONSTRAINT fk_poll_cursors_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.poll_cursors ADD CONSTRAINT fk_poll_cursors_client_id_integration_id FOREIGN KEY (client_id, integration_id) REFERENCES public.integrations(client_id, id);
ALTER TABLE public.ratings ADD CONSTRAINT fk_ratings_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.ratings ADD CONSTRAINT fk_ratings_client_id_run_id FOREIGN KEY (client_id, run_id) REFERENCES public.engine_runs(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.replay_changes ADD CONSTRAINT fk_replay_changes_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.replay_changes ADD CONSTRAINT fk_replay_changes_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.replay_changes ADD CONSTRAINT fk_replay_changes_client_id_replay_id FOREIGN KEY (client_id, replay_id) REFERENCES public.replays(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.replays ADD CONSTRAINT fk_replays_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.response_templates ADD CONSTRAINT fk_response_templates_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.saved_cases ADD CONSTRAINT fk_saved_cases_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.sentiment_logs ADD CONSTRAINT fk_sentiment_logs_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.sentiment_logs ADD CONSTRAINT fk_sentiment_logs_client_id_conversation_id FOREIGN KEY (client_id, conversation_id) REFERENCES public.ai_conversations(client_id, id);
ALTER TABLE public.sentiment_logs ADD CONSTRAINT fk_sentiment_logs_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.sessions ADD CONSTRAINT fk_sessions_user_id FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE public.shadow_drafts ADD CONSTRAINT fk_shadow_drafts_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.shadow_drafts ADD CONSTRAINT fk_shadow_drafts_client_id_run_id FOREIGN KEY (client_id, run_id) REFERENCES public.engine_runs(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.site_imports ADD CONSTRAINT fk_site_imports_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.site_pages ADD CONSTRAINT fk_site_pages_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.site_pages ADD CONSTRAINT fk_site_pages_client_id_import_id FOREIGN KEY (client_id, import_id) REFERENCES public.site_imports(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.suggestions ADD CONSTRAINT fk_suggestions_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.thresholds_sent ADD CONSTRAINT fk_thresholds_sent_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.ticket_events ADD CONSTRAINT fk_ticket_events_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.usage_counters ADD CONSTRAINT fk_usage_counters_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.usage_ledger ADD CONSTRAINT fk_usage_ledger_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.engine_events(client_id, id);
ALTER TABLE public.webhook_deliveries ADD CONSTRAINT fk_webhook_deliveries_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.webhook_deliveries ADD CONSTRAINT fk_webhook_deliveries_client_id_webhook_id FOREIGN KEY (client_id, webhook_id) REFERENCES public.webhook_subscriptions(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.webhook_misses ADD CONSTRAINT fk_webhook_misses_client_id_event_id FOREIGN KEY (client_id, event_id) REFERENCES public.outbox(client_id, id);
ALTER TABLE public.webhook_misses ADD CONSTRAINT fk_webhook_misses_client_id_webhook_id FOREIGN KEY (client_id, webhook_id) REFERENCES public.webhook_subscriptions(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.webhook_subscriptions ADD CONSTRAINT fk_webhook_subscriptions_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.widget_codes ADD CONSTRAINT fk_widget_codes_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.widget_codes ADD CONSTRAINT fk_widget_codes_client_id_session_id FOREIGN KEY (client_id, session_id) REFERENCES public.widget_sessions(client_id, id) ON DELETE CASCADE;
ALTER TABLE public.widget_sessions ADD CONSTRAINT fk_widget_sessions_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
ALTER TABLE public.widgets ADD CONSTRAINT fk_widgets_client_id FOREIGN KEY (client_id) REFERENCES public.clients(id);
