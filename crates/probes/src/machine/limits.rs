//! What this process may do, and how late it may be woken.

use chronoscope_model::Environment;

use super::root::Root;

/// Fills in the CPUs that it may use, and its timer slack.
pub fn fill(root: &Root, env: &mut Environment) {
    let process = root.process();
    env.allowed_cpus.clone_from(&process.allowed);
    env.timer_slack_ns = process.timer_slack_ns;
}
