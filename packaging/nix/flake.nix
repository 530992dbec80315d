{
  description = "Shows which clock to use on this machine, what it costs, and whether to trust it";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      # The static builds, because the dynamic ones expect the loader of other distributions.
      archives = {
        x86_64-linux = {
          url = "@URL x86_64-unknown-linux-musl@";
          sha256 = "@SHA256 x86_64-unknown-linux-musl@";
        };
        aarch64-linux = {
          url = "@URL aarch64-unknown-linux-musl@";
          sha256 = "@SHA256 aarch64-unknown-linux-musl@";
        };
      };
    in
    {
      packages = builtins.mapAttrs
        (system: archive: {
          default = nixpkgs.legacyPackages.${system}.stdenvNoCC.mkDerivation {
            pname = "chronoscope";
            version = "@VERSION@";
            src = nixpkgs.legacyPackages.${system}.fetchurl archive;
            installPhase = ''
              install -Dm755 chronoscope -t $out/bin
              install -Dm644 man/*.1 -t $out/share/man/man1
              install -Dm644 completions/chronoscope.bash $out/share/bash-completion/completions/chronoscope
              install -Dm644 completions/chronoscope.fish -t $out/share/fish/vendor_completions.d
              install -Dm644 completions/_chronoscope -t $out/share/zsh/site-functions
              install -Dm644 LICENSE* -t $out/share/licenses/chronoscope
            '';
            meta = {
              homepage = "@HOME@";
              license = with nixpkgs.lib.licenses; [ mit asl20 ];
              mainProgram = "chronoscope";
              platforms = builtins.attrNames archives;
            };
          };
        })
        archives;
    };
}
