import Foundation
import History
import Support
import Testing

/// What docker/ brings for systemd; `docker/check` holds the manifest for Kubernetes to its schema.
@Suite struct DeploymentTests {
  private static let analyze = "/usr/bin/systemd-analyze"

  /// systemd-analyze names what it does not know, and ends with 0 all the same.
  private func verify(_ unit: String) throws -> String {
    let folder = try TemporaryDirectory("tsugi-unit")
    let path = "\(folder.path)/tsugi.service"
    // It looks for the program, which is not installed here.
    try Data(unit.replacing("/usr/local/bin/tsugi", with: "/bin/true").utf8)
      .write(to: URL(filePath: path))
    let check = try FinishedProgram([Self.analyze, "verify", path])
    // Units of other packages are looked at too, and are none of ours.
    let others = /^(?!tsugi)[\w@.-]+\.(service|socket|timer|target): .*\n?/
      .anchorsMatchLineEndings()
    return check.text.replacing(others, with: "")
      + (check.status == 0 ? "" : "status \(check.status)")
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: analyze), "systemd is not installed"))
  func systemdTakesTheUnit() throws {
    let unit = try Checkout.text(of: "docker/tsugi.service")
    #expect(try verify(unit) == "")
    #expect(try verify(unit.replacing("DynamicUser", with: "DynamicUsr")).contains("DynamicUsr"))
  }
}
