use crate::logical::{LogicalOperator, NodeId};

impl LogicalOperator {
    /// The relations whose rows it reads, in order; those of scalars are not among them.
    #[must_use]
    pub fn inputs(&self) -> Vec<NodeId> {
        match self {
            Self::Load { .. } => Vec::new(),
            Self::Foreach { input, .. }
            | Self::Filter { input, .. }
            | Self::Distinct(input)
            | Self::Limit { input, .. }
            | Self::Sample { input, .. }
            | Self::Order { input, .. }
            | Self::Rank { input, .. }
            | Self::Cube { input, .. }
            | Self::Assert { input, .. }
            | Self::Stream { input, .. } => vec![*input],
            Self::Group { inputs, .. } => inputs.iter().map(|branch| branch.input).collect(),
            Self::Join { inputs, .. } => inputs.iter().map(|(input, _)| *input).collect(),
            Self::Cross(inputs) | Self::Union(inputs) => inputs.clone(),
        }
    }
}
