import ArgumentParser

/// The command line: one subcommand, one file.
///
/// This target is the outermost room: it reads the command line and the configuration, makes the
/// adapters, hands them to `Proxy` and waits for the end. Nothing is decided here that a library
/// could decide. Read next: ``Serve`` (the assembly of the server, in order), ``Demo``, ``Walk``.
struct Tsugi: AsyncParsableCommand {
  /// The version of this program, as `--version` and the `User-Agent` say it.
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "tsugi",
    abstract:
      """
      Caching proxy that turns paged APIs into cursor-paged feeds without duplicates or missing \
      items.
      """,
    discussion: """
      Exit codes: 0 done, 1 failed, 64 bad usage, 78 bad configuration.

      Completions for a shell: tsugi --generate-completion-script bash (or zsh, or fish).

      Example: tsugi serve --demo
      """,
    version: version,
    subcommands: [
      Serve.self, Check.self, Recipes.self, ProbeCommand.self, Simulate.self, Walk.self, Warm.self,
      Health.self,
    ] + shared)

  /// What needs PostgreSQL.
  private static var shared: [any ParsableCommand.Type] {
    #if PostgreSQL
      [StoreCommand.self]
    #else
      []
    #endif
  }
}
