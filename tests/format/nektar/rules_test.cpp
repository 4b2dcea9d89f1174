// Tests of what can be written: XML fragments in metadata, names, and bases that have numbers.

#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <string>
#include <vector>

#include "format/nektar/acceptance.hpp"
#include "format/nektar/basis.hpp"
#include "format/nektar/metadata.hpp"
#include "format/nektar/xml_rules.hpp"
#include "quire/base/error.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar::rules_test {
namespace {

constexpr std::size_t deep = 254;

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "<a>";
  for (std::size_t i = 0; i < depth; ++i) text += "</a>";
  return text;
}

/// Writes a fragment as metadata and reads it back.
std::string read_back(const std::string& fragment) {
  std::vector<Attribute> found;
  std::vector<std::string> warnings;
  add_metadata(metadata_text({text_attribute("XML_Q", fragment)}), found, warnings);
  EXPECT_EQ(found.size(), 1U) << fragment;
  if (found.empty()) return {};
  EXPECT_EQ(found.front().name, "XML_Q") << fragment;
  return found.front().value.as_text();
}

TEST(Fragments, WellFormedFragmentsArePreserved) {
  for (const char* text :
       {"<a/>", "<a x=\"1\">t</a>", "<a>b</a>text<c/>", "<!-- a - b --><a/>", "<a><![CDATA[ < & ]]></a>", "<?p q?><a/>",
        "<a>&lt;&amp;</a>", "<\xC3\xBC>\xE2\x88\x82</\xC3\xBC>", "<a\n x = '\"'\ty=\"&#x41;&#65;&apos;\" />",
        "<a></a >", "<n:a>]]&gt; ></n:a>", "<a b=\"x\ny\tz\r\n\"/>", "<a>x\r\ny\rz</a>", "<a>\nx</a>\ntail",
        "<a> </a> <b/>", "<a b='/>' c=\"/a>\"><!-- </a> > ' --></a>",
        "<a><![CDATA[</a> \" ]]]]><?p </a>?></a><a><a/></a>"}) {
    EXPECT_EQ(what_breaks_fragment(text, deep), std::nullopt) << text;
    EXPECT_EQ(read_back(text), text);
  }
}

TEST(Fragments, IndentationIsRemoved) {
  EXPECT_EQ(read_back("\n  <a>\r\n    <b> c </b>\n\t</a>\n"), "<a><b> c </b></a>");
}

TEST(Fragments, MalformedTextIsReportedWithItsPosition) {
  for (const char* text : {"",
                           " ",
                           "plain text",
                           "5 < 6",
                           "a & b<a/>",
                           "<a>",
                           "</a>",
                           "<a/></a>",
                           "<a></b>",
                           "<a><b></a></b>",
                           "</Q></Metadata><ELEMENTS/>",
                           "</Q><Q>",
                           "<a x=1/>",
                           "<a x/>",
                           "<a x=\"1\"y=\"2\"/>",
                           "<a x='1' x='2'/>",
                           "<a x='<'/>",
                           "<a x='&'/>",
                           "<a x='1/>",
                           "<a",
                           "<",
                           "< a/>",
                           "<1/>",
                           "<a/",
                           "<!-- a -- b --><a/>",
                           "<!-- <a/>",
                           "<a/><!--->",
                           "<a>]]></a>",
                           "<![CDATA[ <a/>",
                           "<?xml version='1.0'?><a/>",
                           "<?XML?><a/>",
                           "<? p?><a/>",
                           "<?p <a/>",
                           "<!DOCTYPE a><a/>",
                           "<a>&b;</a>",
                           "<a>&#0;</a>",
                           "<a>&#x110000;</a>",
                           "<a>&#xD800;</a>",
                           "<a>&#;</a>",
                           "<a>&#x;</a>",
                           "<a>&#1 ;</a>",
                           "<a>&amp</a>",
                           "<\xE2\x88\x82/>",
                           "<!-- c -->",
                           "<![CDATA[x]]>"}) {
    const auto what = what_breaks_fragment(text, deep);
    ASSERT_TRUE(what) << text;
    EXPECT_NE(what->find("(at byte "), std::string::npos) << *what;
  }
  EXPECT_EQ(what_breaks_fragment(nested(deep), deep), std::nullopt);
  EXPECT_TRUE(what_breaks_fragment(nested(deep + 1), deep));
}

TEST(Fragments, TimeIsLinearInTheNumberOfAttributes) {
  constexpr std::size_t attributes = 200000;
  std::string text = "<a";
  for (std::size_t i = 0; i < attributes; ++i) text += " b" + std::to_string(i) + "=\"\"";
  const std::clock_t begin = std::clock();
  EXPECT_EQ(what_breaks_fragment(text + "/>", deep), std::nullopt);
  EXPECT_TRUE(what_breaks_fragment(text + " b7=\"\"/>", deep));
  // Comparing each with every other would need 100 times as long.
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10);
}

TEST(Fragments, TextsAndNamesFollowXml) {
  for (const char* text : {"", "a\tb\r\n c", "\xC3\xBC", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80", "\x7F"}) {
    EXPECT_EQ(what_xml_cannot_hold(text), std::nullopt) << text;
  }
  for (const std::string& text :
       {std::string("a\x01"), std::string("a\0b", 3), std::string("\x1B"), std::string("\xFC"), std::string("\xC3"),
        std::string("\xC0\x80"), std::string("\xED\xA0\x80"), std::string("\xEF\xBF\xBE"),
        std::string("\xF4\x90\x80\x80"), std::string("\x80")}) {
    EXPECT_TRUE(what_xml_cannot_hold(text));
  }
  for (const char* name : {"a", "_", "Theta_x", "a-b.c1",
                           "gr\xC3\xB6\xC3\x9F"
                           "e"})
    EXPECT_TRUE(is_element_name(name));
  for (const char* name : {"", "1a", "-a", "a b", "a/b", "a:b", "a\xE2\x88\x82", "\xC3\x97", "a\xFC", "a<"}) {
    EXPECT_FALSE(is_element_name(name)) << name;
  }
}

TEST(Fragments, ValuesArePreserved) {
  for (const char* value : {" ", "\n", "\r", "\t ", "a\rb", "a\r\nb", " x ", "<&>\"'", "&#13;", ""}) {
    std::vector<Attribute> found;
    std::vector<std::string> warnings;
    add_metadata(metadata_text({text_attribute("K", value), text_attribute("Provenance/P", value)}), found, warnings);
    ASSERT_EQ(found.size(), 2U);
    for (const Attribute& one : found) EXPECT_EQ(one.value.as_text(), value);
  }
}

TEST(Surroundings, TimeAndMachineMayDifferBetweenRanks) {
  const Rules rules{"5.6.0", "now", "here", "directory"};
  const StepDescription accepted = accept_step({}, {}, rules);
  ASSERT_EQ(accepted.attributes.size(), 1U);
  EXPECT_EQ(accepted.attributes.front().name, version_name);
  const std::vector<Attribute> written = with_surroundings(accepted.attributes, rules);
  ASSERT_EQ(written.size(), 3U);
  EXPECT_EQ(written[1].name, timestamp_name);
  EXPECT_EQ(written[2].name, hostname_name);
  EXPECT_EQ(with_surroundings(written, rules).size(), 3U);
  const Rules given{"5.6.0", "23-Nov-2026 15:00:00", "node17", "xml"};
  EXPECT_EQ(accept_step({}, {}, given).attributes.size(), 3U);
}

/// Calls `act` with every choice of bases for this number of directions.
template <class Act>
void for_all_bases(std::size_t directions, Act&& act) {
  constexpr std::uint32_t bases = 18;
  std::vector<std::uint32_t> numbers(directions, 0);
  for (;;) {
    act(numbers);
    std::size_t i = 0;
    while (i < directions && ++numbers[i] == bases) numbers[i++] = 0;
    if (i == directions) return;
  }
}

TEST(Basis, BasesHaveNumbersExactlyIfTheyAreReadBack) {
  struct Kind {
    const char* shape;
    std::size_t most_homogeneous;
  };
  constexpr std::array kinds{Kind{"Segment", 2}, Kind{"Triangle", 1}, Kind{"Quadrilateral", 1}, Kind{"Tetrahedron", 0},
                             Kind{"Pyramid", 0}, Kind{"Prism", 0},    Kind{"Hexahedron", 0}};
  std::vector<std::string> warnings;
  std::size_t fit = 0;
  for (const Kind& kind : kinds) {
    for (std::size_t homogeneous = 0; homogeneous <= kind.most_homogeneous; ++homogeneous) {
      for_all_bases(dimensions_of(kind.shape) + homogeneous, [&](const std::vector<std::uint32_t>& numbers) {
        const std::vector<std::string> bases = basis_names(numbers, Numbering::present);
        const BasisNumbers numbered{numbers, kind.shape};
        std::vector<std::string> read;
        try {
          read = basis_names(numbers, find_numbering(std::span(&numbered, 1), {"5.0.0", ""}, warnings));
        } catch (const Error&) {
          read.clear();
        }
        const bool fits = !unfit_for_numbers(bases, kind.shape);
        fit += fits ? 1 : 0;
        EXPECT_EQ(fits, read == bases) << kind.shape << ' ' << bases.back();
      });
    }
  }
  // Own directions have 12 valid bases, the third one of pyramids has 14; homogeneous directions have 4.
  EXPECT_EQ(fit, 12U + 12U * 4 + 12U * 16 + 2 * (144U + 144U * 4) + 3 * 1728U + 144U * 14);
}

}  // namespace
}  // namespace quire::nektar::rules_test
