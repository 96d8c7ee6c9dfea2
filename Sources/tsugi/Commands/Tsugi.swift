import ArgumentParser
import Settings

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
      Serve.self, Check.self, Doctor.self, Recipes.self, ProbeCommand.self, Simulate.self,
      Walk.self, Warm.self, StatusCommand.self, Health.self,
    ] + shared)

  /// What needs PostgreSQL.
  private static var shared: [any ParsableCommand.Type] {
    #if PostgreSQL
      [StoreCommand.self]
    #else
      []
    #endif
  }

  /// Which subcommand was probably meant by arguments that name none, as a line to print; nil where
  /// they name one, or nothing that resembles one: `did you mean tsugi serve?` for `sreve`.
  static func question(for arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = Tsugi.self
    var path = "tsugi"
    for argument in arguments {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return nil }
      let names = subcommands.map { ($0._commandName, $0) }
      if let named = names.first(where: { $0.0 == argument }) {
        command = named.1
        path += " \(argument)"
        continue
      }
      return names.map(\.0).closest(to: argument).map { "did you mean \(path) \($0)?" }
    }
    return nil
  }
}
