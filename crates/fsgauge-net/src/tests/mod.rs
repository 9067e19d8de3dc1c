//! What the tests of both protocols share.

#[path = "../../tests/support/conformance.rs"]
pub(crate) mod conformance;
pub(crate) mod fuzz;
pub(crate) mod hostile;

use crate::target::{Answer, Handle, Request, Started, Target, kind_of};
