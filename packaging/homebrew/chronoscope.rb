class Chronoscope < Formula
  desc "Shows which clock to use on this machine, what it costs, and whether to trust it"
  homepage "@HOME@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

  on_intel do
    url "@URL x86_64-unknown-linux-gnu@"
    sha256 "@SHA256 x86_64-unknown-linux-gnu@"
  end

  on_arm do
    url "@URL aarch64-unknown-linux-gnu@"
    sha256 "@SHA256 aarch64-unknown-linux-gnu@"
  end

  def install
    bin.install "chronoscope"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/chronoscope.bash" => "chronoscope"
    fish_completion.install "completions/chronoscope.fish"
    zsh_completion.install "completions/_chronoscope"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/chronoscope --version")
    assert_match "posix/monotonic", shell_output("#{bin}/chronoscope list clocks")
  end
end
