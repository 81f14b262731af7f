-- People, their browser sessions, what they hand in, and what graders tell while they work.

CREATE TABLE users (
    id         UUID PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('guest')),
    created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- A browser's claim to be a user. Only a hash is kept, so a stolen dump signs nobody in.
CREATE TABLE sessions (
    token_hash BYTEA PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    user_id    UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sessions_user_id ON sessions (user_id);

CREATE TABLE submissions (
    id            UUID PRIMARY KEY,
    user_id       UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    exercise      TEXT NOT NULL,
    -- Hash of the exercise's files at the time of submitting.
    content_hash  TEXT NOT NULL,
    -- 1, 2, 3 … per learner and exercise.
    number        INTEGER NOT NULL CHECK (number >= 1),
    -- Drawn by the page; the same key twice is the same submission.
    request_key   UUID,
    source        TEXT NOT NULL CHECK (octet_length(source) BETWEEN 1 AND 65536),
    -- Drawn when the submission is stored; hidden inputs follow from it.
    seed          BIGINT NOT NULL,
    status        TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'finished')),
    -- Graders that began; the bound is limits::STARTS_MAX.
    starts        INTEGER NOT NULL DEFAULT 0 CHECK (starts BETWEEN 0 AND 3),
    -- The fence: only the holder may write events and the verdict.
    run_token     UUID,
    verdict_kind  TEXT CHECK (verdict_kind IN (
        'compile-error', 'signature-mismatch', 'compile-limit', 'unsupported', 'launch-error',
        'oob-read', 'oob-write', 'oob-shared', 'misaligned', 'illegal', 'barrier-divergence',
        'race-shared', 'race-global', 'uninit-read', 'time-limit', 'memory-limit', 'output-limit',
        'input-modified', 'nan', 'output-untouched', 'non-deterministic', 'wrong-values',
        'structure', 'accepted', 'our-fault')),
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    started_at    TIMESTAMPTZ,
    finished_at   TIMESTAMPTZ,
    UNIQUE (user_id, exercise, number),
    UNIQUE (user_id, request_key),
    CHECK ((status = 'finished') = (verdict_kind IS NOT NULL)),
    CHECK ((status = 'finished') = (finished_at IS NOT NULL))
);
CREATE INDEX submissions_unfinished ON submissions (created_at) WHERE status <> 'finished';
CREATE INDEX submissions_user_created ON submissions (user_id, created_at);

-- Append-only; seq is dense per submission, so a stream resumes where it broke off.
CREATE TABLE grade_events (
    submission_id UUID NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
    seq           INTEGER NOT NULL CHECK (seq >= 1),
    event         JSONB NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (submission_id, seq)
);

-- One row per running grader, renewed every few seconds.
CREATE TABLE graders (
    id            UUID PRIMARY KEY,
    backend       TEXT NOT NULL CHECK (backend IN ('sim', 'gpu')),
    device        TEXT NOT NULL,
    sandbox_level TEXT NOT NULL CHECK (sandbox_level IN ('A', 'B', 'C')),
    seen_at       TIMESTAMPTZ NOT NULL DEFAULT now()
);
