import ArgumentParser
import Glibc
import Settings

extension Configuration {
  /// Where a configuration is when the command line does not say.
  static let defaultPath = "config.json"
  /// What the process ends with when the configuration cannot be used (EX_CONFIG of sysexits.h).
  static let badCode = ExitCode(78)
  /// The largest file that a `NAME_FILE` variable may name, in bytes.
  private static let secretBytesMax = 64 << 10

  /// Reads the configuration as `serve` and `check` do: the file at `path`, or `config.json` in the
  /// working directory where there is one, or the defaults; over it the environment and the flags.
  ///
  /// - Throws: `badCode`, when every error was printed on standard error, one a line.
  static func load(
    _ path: String?, overrides: Overrides = Overrides()
  ) throws(ExitCode) -> Configuration {
    do {
      return try read(at: place(path), overrides: overrides)
    } catch {
      StandardStream.error.writeLine("\(error)")
      throw badCode
    }
  }

  /// The file that is meant by what the command line says; nil where there is none.
  static func place(_ path: String?) -> String? {
    path ?? (access(defaultPath, F_OK) == 0 ? defaultPath : nil)
  }

  /// Reads the configuration from a file, or from none; blocks.
  ///
  /// - Throws: `CommandError` or `Problems`, to be printed as they are.
  static func read(at path: String?, overrides: Overrides) throws -> Configuration {
    let json = try path.map { try FileContents.read($0, bytesMax: bytesMax) }
    return try read(
      json ?? Array("{}".utf8), environment: Environment.variables, overrides: overrides,
      named: path, baseDirectory: path.map(directory) ?? "",
      // The configuration reader reports what cannot be read, with the variable's name.
      readFile: { try? FileContents.read($0, bytesMax: secretBytesMax) })
  }

  /// What is wrong with the files of sources: one may be missing at a start and come later, so that
  /// this is no problem, but worth a word.
  var missingFiles: [String] {
    sources.sorted { $0.key < $1.key }.compactMap { name, source in
      guard case .file(let file) = source, access(file.path, R_OK) != 0 else { return nil }
      return "sources.\(name).path: cannot read \(file.path): \(SystemError.text(errno))"
    }
  }

  /// `etc/` for `etc/config.json`, empty for `config.json`.
  private static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}
