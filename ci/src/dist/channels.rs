//! The manifests of package managers that take an archive of a release, filled from templates in
//! `packaging`.

use super::{VERSION, stem};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use xshell::Shell;

/// The package managers, which are also the folders of the templates.
pub const ALL: [&str; 4] = ["aur", "homebrew", "nix", "winget"];

/// Fills the templates of a package manager. `sums` are the hashes and names of the archives, and
/// `url` is their folder in the network.
pub fn fill(sh: &Shell, manager: &str, sums: &str, url: &str, to: &Path) -> Result<()> {
    let template = |path: &PathBuf| Ok((path.clone(), filled(&sh.read_file(path)?, sums, url)?));
    let templates = sh.read_dir(Path::new("packaging").join(manager))?;
    for (path, text) in templates.iter().map(template).collect::<Result<Vec<_>>>()? {
        let name = path.file_name().context("a template without a name")?;
        sh.write_file(to.join(manager).join(name), text)?;
    }
    Ok(())
}

/// Fills in what stands between two at signs.
fn filled(template: &str, sums: &str, url: &str) -> Result<String> {
    let (home, _) = url.split_once("/releases/").unwrap_or((url, ""));
    let mut text = String::new();
    for (at, part) in template.split('@').enumerate() {
        text += &match (at % 2, part.split_once(' ')) {
            (0, _) => part.to_owned(),
            (_, Some(("URL", triple))) => format!("{url}/{}", archive(sums, triple)?.1),
            (_, Some(("SHA256", triple))) => archive(sums, triple)?.0.to_owned(),
            _ if part == "HOME" => home.to_owned(),
            _ if part == "VERSION" => VERSION.to_owned(),
            _ => bail!("unknown: @{part}@"),
        };
    }
    Ok(text)
}

/// The hash and the name of the archive for a target.
fn archive<'a>(sums: &'a str, triple: &str) -> Result<(&'a str, &'a str)> {
    let start = format!("{}.", stem(triple));
    let mut all = sums.lines().filter_map(|line| line.split_once("  "));
    all.find(|(_, name)| name.starts_with(&start))
        .with_context(|| format!("there is no archive for {triple}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_from_the_hashes() -> Result<()> {
        let url = format!("https://host/it/releases/download/v{VERSION}");
        let name = format!("chronoscope-cli-a-unknown-linux-gnu-v{VERSION}.tar.gz");
        let sums = format!("00ff  {name}\n1234  chronoscope_{VERSION}_amd64.deb\n");
        let fill = |text| filled(text, &sums, &url);
        assert_eq!(fill("v@VERSION@, @HOME@")?, format!("v{VERSION}, https://host/it"));
        assert_eq!(fill("@URL a-unknown-linux-gnu@")?, format!("{url}/{name}"));
        assert_eq!(fill("'@SHA256 a-unknown-linux-gnu@'")?, "'00ff'");
        fill("@SHA256 b-unknown-linux-gnu@").unwrap_err();
        fill("@DATE@").unwrap_err();
        Ok(())
    }
}
