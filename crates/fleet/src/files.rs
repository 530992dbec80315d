//! The files of `chronoscope generate fleet`.

use chronoscope_model::packed::{packed, text};
use std::sync::LazyLock;

macro_rules! files {
    ($($path:literal)*) => {
        /// The path of each file, with `/` between folders, and its content.
        pub static FILES: LazyLock<Vec<(&str, String)>> =
            LazyLock::new(|| vec![$(($path, text(packed!("../files/" $path)))),*]);
    };
}

files! {
    "README.md"
    "ansible/playbook.yaml"
    "docs/FLEET.md"
    "grafana/dashboard.json"
    "kubernetes/daemonset.yaml"
    "prometheus/rules.test.yaml"
    "prometheus/rules.yaml"
    "prometheus/scrape.yaml"
    "slurm/srun.sh"
    "sql/census.sql"
    "sql/changes.sql"
    "sql/clickhouse.sql"
    "sql/clusters.sql"
    "sql/findings.sql"
    "sql/load.sql"
    "sql/offsets.sql"
    "sql/outliers.sql"
    "sql/percentiles.sql"
    "sql/prelude.clickhouse.sql"
    "sql/prelude.duckdb.sql"
    "systemd/chronoscope-exporter.service"
    "systemd/chronoscope-textfile.service"
    "systemd/chronoscope-textfile.timer"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_table_lists_every_file_of_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("files");
        let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let below = path.strip_prefix(&root).expect("it is below");
                let parts = below.iter().map(|part| part.to_string_lossy());
                found.push(parts.collect::<Vec<_>>().join("/"));
            }
        }
        found.sort();
        assert_eq!(found, FILES.iter().map(|(path, _)| *path).collect::<Vec<_>>());
    }

    #[test]
    fn the_image_is_that_of_this_version() {
        let image =
            concat!("image: registry.example/chronoscope:", env!("CARGO_PKG_VERSION"), "\n");
        let manifest = FILES.iter().find(|(path, _)| path.starts_with("kubernetes/"));
        assert!(manifest.is_some_and(|(_, text)| text.contains(image)), "{image}");
    }

    /// The program that the manifest starts is where the project's image, and that of the
    /// manifest's first lines, has the tool.
    #[test]
    fn the_manifest_starts_what_the_image_has() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let recipe = fs::read_to_string(root.join("packaging/Containerfile")).expect("a recipe");
        let manifest = FILES.iter().find(|(path, _)| path.starts_with("kubernetes/"));
        let (_, manifest) = manifest.expect("a manifest");
        let word = |text: &str, before: &str| {
            let mut found = text.lines().filter_map(|line| line.trim_start().strip_prefix(before));
            let rest = found.next().map(|rest| rest.trim_matches(['"', '[', ']', ' ']));
            rest.and_then(|rest| rest.split('"').next()).map(str::to_owned)
        };
        let started = word(manifest, "command: ");
        assert!(started.is_some());
        for (text, before) in [
            (&*recipe, "COPY chronoscope "),
            (&recipe, "ENTRYPOINT "),
            (manifest, "#   COPY chronoscope "),
        ] {
            assert_eq!(word(text, before), started, "{before}");
        }
    }
}
