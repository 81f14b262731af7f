//! The words everybody at Warpyard uses: exercises, submissions, verdicts.
