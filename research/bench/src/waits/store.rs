//! The bursts that have been measured, in a file with one line of JSON for each.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::load::Load;

/// Waits of one method and length, one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Burst {
    pub run: u32,
    pub method: String,
    pub load: Load,
    pub wait_us: u64,
    pub early: u64,
    pub cpu_ns: u64,
    pub late_ns: Vec<u64>,
}

impl Burst {
    pub fn waits(&self) -> usize {
        self.late_ns.len()
    }
}

pub struct Store {
    pub bursts: Vec<Burst>,
    file: Option<File>,
}

impl Store {
    /// Reads what was stored. A line that was not finished, because the program was killed, is left
    /// out.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self { bursts: Vec::new(), file: None });
        };
        let reading = || format!("reading {}", path.display());
        let mut bursts = Vec::new();
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).with_context(reading)?;
        for line in BufReader::new(&file).lines() {
            if let Ok(burst) = serde_json::from_str::<Burst>(&line.with_context(reading)?) {
                bursts.push(burst);
            }
        }
        writeln!(file)?;
        Ok(Self { bursts, file: Some(file) })
    }

    pub fn add(&mut self, burst: Burst) -> Result<()> {
        if let Some(file) = &mut self.file {
            let mut line = serde_json::to_vec(&burst)?;
            line.push(b'\n');
            file.write_all(&line).context("storing what was measured")?;
        }
        self.bursts.push(burst);
        Ok(())
    }
}
