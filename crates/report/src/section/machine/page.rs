//! The machine as the last part of a page: everything that is known, once for each report.

use super::super::page::{each, finding};
use super::{brief, whole};
use crate::block::Block;
use crate::page::Input;

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let env = &input.report.environment;
        let sentence = format!("Measured on {}.", brief::processor(env));
        let mut blocks = vec![Block::remarked("This machine", finding(sentence))];
        blocks.extend(brief::view(input.report));
        blocks.extend(whole(input.report, true));
        blocks
    })
}
