//! A submission's life: stored once, fenced, finished once.

use db::PgPool;
use db::submissions::{
    Begin, Claimed, NewSubmission, Submitted, begin, find_for, finish, give_up, list_for, list_unfinished, submit,
};
use domain::event::{GradeEvent, Stage};
use domain::finding::OurReason;
use domain::id::{RequestKey, Slug, SubmissionId, UserId};
use domain::limits::{EVENTS_MAX, STARTS_MAX, UNFINISHED_SUBMISSIONS_MAX};
use domain::submission::{SourceText, Status};
use domain::verdict::{Verdict, VerdictKind};
use uuid::Uuid;

async fn guest(pool: &PgPool) -> UserId {
    db::migrate(pool).await.unwrap();
    db::users::create_guest(pool).await.unwrap()
}

async fn store(pool: &PgPool, user: UserId, key: Option<RequestKey>) -> Submitted {
    store_as(pool, user, key, "some-exercise", "x").await
}

async fn store_as(pool: &PgPool, user: UserId, key: Option<RequestKey>, exercise: &str, source: &str) -> Submitted {
    let exercise: Slug = exercise.parse().unwrap();
    let source = SourceText::from_bytes(source.as_bytes()).unwrap();
    let new =
        NewSubmission { user, exercise: &exercise, content_hash: "h", source: &source, request_key: key, seed: -1 };
    submit(pool, &new).await.unwrap()
}

fn id(submitted: Submitted) -> SubmissionId {
    match submitted {
        Submitted::Stored(id) | Submitted::Again(id) => id,
        Submitted::KeyTaken | Submitted::TooMany { .. } => panic!("{submitted:?}"),
    }
}

async fn claim(pool: &PgPool, id: SubmissionId) -> Claimed {
    match begin(pool, id).await.unwrap() {
        Begin::Claimed(claimed) => *claimed,
        other => panic!("{other:?}"),
    }
}

fn accepted() -> Verdict {
    Verdict {
        kind: VerdictKind::Accepted,
        finding: None,
        cases: vec![],
        diagnostics: vec![],
        marks: vec![],
        printed: vec![],
        device: "simulator".into(),
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn numbers_count_and_the_same_request_is_one(pool: PgPool) {
    let user = guest(&pool).await;
    let key = Some(RequestKey(Uuid::new_v4()));
    let first = store(&pool, user, key).await;
    assert_eq!(store(&pool, user, key).await, Submitted::Again(id(first)));
    assert_eq!(store_as(&pool, user, key, "some-exercise", "y").await, Submitted::KeyTaken);
    assert_eq!(store_as(&pool, user, key, "other-exercise", "x").await, Submitted::KeyTaken);
    let second = id(store(&pool, user, None).await);
    assert_eq!(find_for(&pool, user, second).await.unwrap().unwrap().number, 2);
    let other = guest(&pool).await;
    assert!(find_for(&pool, other, second).await.unwrap().is_none(), "somebody else's is not there");
    assert!(db::grade_events::list_after(&pool, other, second, 0).await.unwrap().is_none());
    assert_eq!(list_for(&pool, user, &"some-exercise".parse().unwrap()).await.unwrap().len(), 2);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn one_more_than_may_wait_is_refused(pool: PgPool) {
    let user = guest(&pool).await;
    for _ in 0..UNFINISHED_SUBMISSIONS_MAX {
        assert!(matches!(store(&pool, user, None).await, Submitted::Stored(_)));
    }
    assert!(matches!(store(&pool, user, None).await, Submitted::TooMany { retry_after_seconds: 1.. }));
    let other = guest(&pool).await;
    assert!(matches!(store(&pool, other, None).await, Submitted::Stored(_)), "one learner's limit is no other's");
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn only_the_holder_of_the_fence_writes(pool: PgPool) {
    let user = guest(&pool).await;
    let submission = id(store(&pool, user, None).await);
    let lost = claim(&pool, submission).await;
    let holder = claim(&pool, submission).await;
    assert_eq!((lost.start, holder.start, holder.seed), (1, 2, -1));
    let event = GradeEvent::Stage { stage: Stage::Compile };
    assert!(!db::grade_events::append(&pool, submission, lost.token, &event).await.unwrap());
    assert!(db::grade_events::append(&pool, submission, holder.token, &event).await.unwrap());
    assert!(!finish(&pool, submission, lost.token, &accepted()).await.unwrap());
    assert!(finish(&pool, submission, holder.token, &accepted()).await.unwrap());
    assert!(!finish(&pool, submission, holder.token, &accepted()).await.unwrap(), "once");
    assert!(!give_up(&pool, submission, holder.token, OurReason::GaveUp).await.unwrap());
    assert!(matches!(begin(&pool, submission).await.unwrap(), Begin::Done));
    let events = db::grade_events::list_after(&pool, user, submission, 0).await.unwrap().unwrap();
    assert!(events.iter().map(|(seq, _)| *seq).eq(1..=3), "{events:?}");
    assert_eq!(find_for(&pool, user, submission).await.unwrap().unwrap().status, Status::Finished);
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn the_unfinished_are_told_from_the_rest(pool: PgPool) {
    let user = guest(&pool).await;
    let (done, runs, waits) =
        (id(store(&pool, user, None).await), id(store(&pool, user, None).await), id(store(&pool, user, None).await));
    let claimed = claim(&pool, done).await;
    assert!(finish(&pool, done, claimed.token, &accepted()).await.unwrap());
    claim(&pool, runs).await;
    let unknown = SubmissionId(Uuid::new_v4());
    let mut unfinished = list_unfinished(&pool, &[done, runs, unknown, waits]).await.unwrap();
    unfinished.sort_by_key(|id| id.0);
    assert_eq!(unfinished, [runs, waits]);
    assert!(list_unfinished(&pool, &[]).await.unwrap().is_empty());
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn starts_run_out_as_our_fault(pool: PgPool) {
    let user = guest(&pool).await;
    let submission = id(store(&pool, user, None).await);
    for start in 1..=STARTS_MAX {
        assert_eq!(claim(&pool, submission).await.start, start);
    }
    assert!(matches!(begin(&pool, submission).await.unwrap(), Begin::GaveUp));
    let history = list_for(&pool, user, &"some-exercise".parse().unwrap()).await.unwrap();
    assert_eq!(history[0].verdict, Some(VerdictKind::OurFault));
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn events_are_capped_and_the_verdict_still_arrives(pool: PgPool) {
    let user = guest(&pool).await;
    let submission = id(store(&pool, user, None).await);
    let holder = claim(&pool, submission).await;
    let event = GradeEvent::Stage { stage: Stage::Values };
    for _ in 1..EVENTS_MAX {
        assert!(db::grade_events::append(&pool, submission, holder.token, &event).await.unwrap());
    }
    assert!(!db::grade_events::append(&pool, submission, holder.token, &event).await.unwrap(), "one past the cap");
    assert!(finish(&pool, submission, holder.token, &accepted()).await.unwrap());
}
