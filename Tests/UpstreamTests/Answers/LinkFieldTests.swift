import Testing

@testable import Upstream

struct LinkFieldTests {
  @Test(arguments: [
    #"<https://qiita.com/api/v2/items?page=1>; rel="first", "#
      + #"<https://qiita.com/api/v2/items?page=2>; rel="next", "#
      + #"<https://qiita.com/api/v2/items?page=34025>; rel="last""#,
    #"<a>;rel=next"#, #"<a> ; rel = "next""#, #"<a>; REL="NEXT""#, #"<a>; rel="prev next""#,
    #"<a>; title="x, y; z"; rel="next""#, #"<a>; title="say \"hi\", you"; rel=next"#,
    #", ,<a>;rel=last,,<b>;;rel=next,"#, "<a>;\trel=\"next\"", #"<a,b;c>; rel=next"#,
    #"<a>; flag; rel=next"#, #"<>; rel="next""#, #"<a>; rel="next"; results="true"; cursor="0:1""#,
  ])
  func findsNext(value: String) {
    #expect(LinkField.target(relation: "next", in: [value]) != nil)
  }

  @Test(arguments: [
    "", ",", "<", "<a", "<a>", "<a>; rel", "<a>; rel=", #"<a>; rel="prev""#,
    #"<a>; rel="next-archive""#, #"<a>; rel=prev; rel=next"#, #"<rel=next>; rel="last""#,
    #"<a>; title="; rel=next""#, #"<a>; title="rel=next, <b>; rel=next"#, #"<a>; rel=""#,
    #"<a>; xrel=next"#, #"<a>; rel="\"#, #"<a>; rel="next"; results="false"; cursor="0:1""#,
  ])
  func findsNoNext(value: String) {
    #expect(LinkField.target(relation: "next", in: [value]) == nil)
  }

  @Test func looksIntoEveryField() {
    #expect(LinkField.target(relation: "next", in: [#"<a>; rel="prev""#, "<b>; rel=next"]) != nil)
  }
}
