//! The two threads of the exporter: one measures, one answers.

use crate::board::Board;
use crate::http::Server;
use crate::worker::{Settings, measure};
use chronoscope_survey::Interrupt;
use std::io;
use std::sync::Arc;
use std::thread;

/// Measures and answers until it is interrupted. The measuring thread is not waited for: it may be
/// in the middle of a measurement, which then nobody asks for.
///
/// # Errors
/// The system refuses a thread, or measuring ended by itself.
pub fn run(server: Server, settings: Settings, interrupt: &Interrupt) -> io::Result<()> {
    let board = Arc::new(Board::default());
    let has_report = settings.keep_report;
    let measuring = {
        let (board, interrupt) = (Arc::clone(&board), interrupt.clone());
        let thread = thread::Builder::new().name("measure".into());
        thread.spawn(move || measure(&settings, &board, &interrupt))?
    };
    server.answer(&board, has_report, || interrupt.is_set() || measuring.is_finished())?;
    if interrupt.is_set() {
        return Ok(());
    }
    Err(io::Error::other("the thread that measures has ended"))
}
