# The documentation site, which the API serves at /docs/guide/.
FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS guide

WORKDIR /app

COPY requirements/docs.txt requirements/
COPY README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md ./
COPY docs/ docs/
COPY scripts/build_tools.py scripts/guide.py scripts/guide_pages.py scripts/guide_reference.py scripts/guide.toml scripts/guide.css scripts/
RUN python -m scripts.guide

# One image for every process; docker-compose.yml names the command of each.
FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1

# A fixed number, so that a cluster can check that the process is not root.
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin engine

# Error reports wait here; a volume takes over the owner.
RUN mkdir --parents /var/lib/engine/error-reports && chown 10001:10001 /var/lib/engine/error-reports
ENV ERROR_SPOOL=/var/lib/engine/error-reports

WORKDIR /app

# `otel` for traces.
ARG REQUIREMENTS=runtime
COPY requirements/runtime.txt requirements/otel.txt requirements/
RUN pip install --no-input --require-hashes -r requirements/${REQUIREMENTS}.txt

COPY alembic.ini cli.py worker.py ./
COPY activities/ activities/
COPY adapters/ adapters/
COPY api/ api/
COPY commands/ commands/
COPY demo/ demo/
COPY docs/ docs/
COPY domain/ domain/
COPY embedded/ embedded/
COPY migrations/ migrations/
COPY services/ services/
COPY settings/ settings/
COPY store/ store/
COPY workers/ workers/
COPY workflows/ workflows/

COPY --from=guide /app/build/docs/site/ build/docs/site/

# The base image contains no bytecode of the standard library, and the processes cannot write any.
RUN python -m compileall -q -x '/(site-packages|test|tests)/' /usr/local/lib/python3.11 /app

# At the end, so that a new version reuses the layers above.
ARG VERSION=0.9.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="support-engine" \
      org.opencontainers.image.description="API and workers of the support engine" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

USER 10001:10001

CMD ["python", "cli.py", "--help"]
