//! Passes over the groups, from the strictest on.

/// What a group must have to be looked into, from the strictest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Criteria {
    /// A buddy of at least the goal's order.
    Power2Aligned,
    /// A mean run as long as the goal.
    GoalFast,
    /// The same for a goal that is cut to powers of two.
    BestAvailable,
    /// As many free blocks as the goal.
    GoalSlow,
    /// Any free block.
    AnyFree,
    /// There is no further pass.
    Over,
}

impl Criteria {
    pub(super) fn next(self) -> Self {
        match self {
            Criteria::Power2Aligned => Criteria::GoalFast,
            Criteria::GoalFast => Criteria::BestAvailable,
            Criteria::BestAvailable => Criteria::GoalSlow,
            Criteria::GoalSlow => Criteria::AnyFree,
            Criteria::AnyFree | Criteria::Over => Criteria::Over,
        }
    }

    /// Whether groups that may have no run as long as the goal are looked into.
    pub(super) fn is_expensive(self) -> bool {
        self >= Criteria::GoalSlow
    }
}
