//! Linux isolation for processes that see learner bytes.
