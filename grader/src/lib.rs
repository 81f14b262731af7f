//! Claims jobs, judges kernels.
