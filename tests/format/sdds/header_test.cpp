// The header parser and writer against every vector: definitions, refusals with their byte offsets, canonical bytes.

#include <gtest/gtest.h>

#include <set>

#include "format/sdds/describer.hpp"
#include "format/sdds/header_parser.hpp"
#include "format/sdds/header_writer.hpp"
#include "format/sdds/names.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds::header_test {
namespace {

using test::Json;
using test::Vector;

std::string name_of(const testing::TestParamInfo<Vector>& vector) { return test::test_name(vector.param.name); }

std::string show(const std::optional<std::string>& text) { return text ? '"' + *text + '"' : "absent"; }

std::string show(const Json& text) { return text.is_null() ? "absent" : '"' + text.text() + '"'; }

void compare_definition(const Definition& definition, const Json& truth) {
  SCOPED_TRACE(definition.name);
  EXPECT_EQ(definition.name, truth["name"].text());
  EXPECT_EQ(file_name(definition.type), truth["type"].text());
  EXPECT_EQ(show(definition.symbol), show(truth["symbol"]));
  EXPECT_EQ(show(definition.units), show(truth["units"]));
  EXPECT_EQ(show(definition.description), show(truth["description"]));
  EXPECT_EQ(show(definition.format_string), show(truth["format_string"]));
}

void compare_definitions(const Header& header, const Json& truth) {
  const auto& parameters = truth["parameter_defs"].items();
  ASSERT_EQ(header.parameters.size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    compare_definition(header.parameters[i], parameters[i]);
    EXPECT_EQ(show(header.parameters[i].fixed_value), show(parameters[i]["fixed_value"]));
  }
  const auto& arrays = truth["array_defs"].items();
  ASSERT_EQ(header.arrays.size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    compare_definition(header.arrays[i], arrays[i]);
    EXPECT_EQ(show(header.arrays[i].group_name), show(arrays[i]["group_name"]));
    EXPECT_EQ(header.arrays[i].field_length, arrays[i]["field_length"].integer());
    EXPECT_EQ(std::to_string(header.arrays[i].dimensions), arrays[i]["dimensions"].text());
  }
  const auto& columns = truth["column_defs"].items();
  ASSERT_EQ(header.columns.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    compare_definition(header.columns[i], columns[i]);
    EXPECT_EQ(header.columns[i].field_length, columns[i]["field_length"].integer());
  }
}

Header header_of(const Vector& vector, const HeaderOptions& options = {}) {
  test::MemorySource source(vector.bytes());
  return read_header(source, test::context_of(vector.name), options);
}

class GoodHeader : public testing::TestWithParam<Vector> {};

TEST_P(GoodHeader, AgreesWithTheTruth) {
  const Json truth = GetParam().truth();
  const Header header = header_of(GetParam());
  EXPECT_EQ(std::to_string(header.version), truth["version"].text());
  EXPECT_EQ(header.data.mode == Mode::binary ? "binary" : "ascii", truth["mode"].text());
  const std::string order = !header.declared_order                        ? "undeclared"
                            : *header.declared_order == ByteOrder::little ? "little"
                                                                          : "big";
  EXPECT_EQ(order, truth["byte_order"].text());
  EXPECT_EQ(show(header.text), show(truth["description"]["text"]));
  EXPECT_EQ(show(header.contents), show(truth["description"]["contents"]));

  const Json& data = truth["data"];
  EXPECT_EQ(header.data.lines_per_row, data["lines_per_row"].integer());
  EXPECT_EQ(header.data.no_row_counts ? 1 : 0, data["no_row_counts"].integer());
  EXPECT_EQ(header.data.column_major ? 1 : 0, data["column_major_order"].integer());
  EXPECT_EQ(header.data.additional_header_lines, data["additional_header_lines"].integer());
  EXPECT_EQ(header.data.fixed_row_count ? 1 : 0, data["fixed_row_count"].integer());
  compare_definitions(header, truth);
}

// From any prefix, the parser requests more bytes or returns the same result.
TEST_P(GoodHeader, IsTheSameFromAnyPrefix) {
  const std::string bytes = GetParam().bytes();
  IncludedFiles included;
  const auto whole = parse_header(bytes, true, included, {});
  if (std::holds_alternative<NeedFile>(whole)) included["include_defs.txt"] = test::read_vector("include_defs.txt");
  const Header expected = std::get<Header>(parse_header(bytes, true, included, {}));
  for (std::size_t known = 0; known < expected.data_offset; ++known) {
    const auto answer = parse_header(std::string_view(bytes).substr(0, known), false, included, {});
    const Need* need = std::get_if<Need>(&answer);
    ASSERT_NE(need, nullptr) << known << " bytes are known";
    EXPECT_EQ(need->offset, known);
    EXPECT_GT(need->length, 0U);
  }
  const auto answer = parse_header(std::string_view(bytes).substr(0, expected.data_offset), false, included, {});
  ASSERT_TRUE(std::holds_alternative<Header>(answer));
  EXPECT_EQ(std::get<Header>(answer).columns, expected.columns);
}

INSTANTIATE_TEST_SUITE_P(Vectors, GoodHeader, testing::ValuesIn(test::vectors("ok", "")), name_of);

class BadHeader : public testing::TestWithParam<Vector> {};

TEST_P(BadHeader, IsRefusedWithLineAndOffset) {
  // A format that fits no value is only a warning: it is for printing, not for reading.
  HeaderOptions options;
  options.strict = GetParam().name == "bad_format_string.sdds";
  const std::string bytes = GetParam().bytes();
  try {
    static_cast<void>(header_of(GetParam(), options));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
    ASSERT_TRUE(error.offset().has_value()) << error.what();
    EXPECT_LE(*error.offset(), bytes.size());
    EXPECT_TRUE(error.message().starts_with("line ")) << error.what();
    EXPECT_EQ(error.file(), GetParam().name);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, BadHeader, testing::ValuesIn(test::vectors("fail", "")), name_of);

std::vector<Vector> canonical_headers() {
  std::vector<Vector> chosen;
  for (Vector& vector : test::vectors("ok", "")) {
    // The reference's MPI layer writes a header of its own.
    if (vector.canonical && !vector.writer.starts_with("MPI lib")) chosen.push_back(std::move(vector));
  }
  return chosen;
}

class CanonicalHeader : public testing::TestWithParam<Vector> {};

TEST_P(CanonicalHeader, IsWrittenByteForByte) {
  const Header header = header_of(GetParam());
  EXPECT_EQ(write_header(header), GetParam().bytes().substr(0, header.data_offset));
  EXPECT_TRUE(header.warnings.empty()) << header.warnings.front();
}

INSTANTIATE_TEST_SUITE_P(Vectors, CanonicalHeader, testing::ValuesIn(canonical_headers()), name_of);

Header parse(const std::string& text, const HeaderOptions& options = {}) {
  return std::get<Header>(parse_header(text, true, {}, options));
}

/// The error for a text, which must be refused.
Error refusal(const std::string& text, const HeaderOptions& options = {}) {
  try {
    static_cast<void>(parse(text, options));
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << text;
  return {ErrorKind::internal, "accepted"};
}

const std::string data_line = "&data mode=binary &end\n";

TEST(HeaderParser, NamesTheOffsetOfTheFault) {
  const std::string text = "SDDS1\n! comment\n&column name=x, type=double, colour=red &end\n" + data_line;
  const Error error = refusal(text);
  EXPECT_EQ(error.offset(), text.find("colour"));
  EXPECT_TRUE(error.message().starts_with("line 3: ")) << error.what();
}

TEST(HeaderParser, RefusesDeclarationsThatContradict) {
  EXPECT_NE(std::string(refusal("SDDS3\n!# big-endian\n&data mode=binary, endian=little &end\n").what()).find("both"),
            std::string::npos);
  EXPECT_EQ(parse("SDDS3\n!# big-endian\n&data mode=binary, endian=big &end\n").declared_order, ByteOrder::big);
}

// Text has no byte order.
TEST(HeaderParser, ToleratesContradictingDeclarationsBeforeText) {
  const std::string text = "SDDS3\n!# big-endian\n&data mode=ascii, endian=little &end\n";
  EXPECT_EQ(parse(text).warnings.size(), 1U);
  EXPECT_EQ(parse(text).declared_order, ByteOrder::big);
  HeaderOptions strict;
  strict.strict = true;
  EXPECT_EQ(refusal(text, strict).kind(), ErrorKind::bad_file);
}

TEST(HeaderParser, EndsACommandAtTheFirstEndOutsideQuotes) {
  for (const char* end : {"&end", "&endjunk", "&end;", "&end,", "&end! comment", "&end&column name=y type=long &end"}) {
    const Header header = parse(std::string("SDDS1\n&column name=x, type=double ") + end + '\n' + data_line);
    ASSERT_EQ(header.columns.size(), 1U) << end;
  }
  EXPECT_EQ(parse("SDDS1\n&column name=x, type=double, units=a&end\n" + data_line).columns.at(0).units, "a");
  EXPECT_EQ(parse("SDDS1\n&column name=x, type=double, units=\"a&end\"&end\n" + data_line).columns.at(0).units,
            "a&end");
  EXPECT_EQ(parse("SDDS1\n&column name=x, units=\"a &end\", type=double &end\n" + data_line).columns.at(0).units,
            "a &end");
  for (const char* line : {"&column name=x, type=&end", "&column name=x, type &end", "&column name&end", "&data&end"}) {
    EXPECT_TRUE(refusal(std::string("SDDS1\n") + line + '\n' + data_line).offset().has_value()) << line;
  }
}

TEST(HeaderParser, IgnoresTheFieldsOfAssociate) {
  for (const char* inside : {"", " name=a, filename=\"b\", sdds=1 ", " any junk = = , here ",
                             " one \"quoted &end\" text ", "\n name=a\n! comment &end\n junk\n", " = & && \\\" "}) {
    const Header header =
        parse(std::string("SDDS1\n&associate ") + inside + "&end\n&column name=x, type=double &end\n" + data_line);
    EXPECT_EQ(header.columns.size(), 1U) << inside;
  }
  EXPECT_TRUE(refusal("SDDS1\n&associate it's 5\" wide &end\n" + data_line).offset().has_value());
}

TEST(HeaderParser, RefusesCommandsThatTheReferenceMisreads) {
  for (const char* line :
       {"&column type=double &end", "&column name=\"\", type=double &end",
        "&column name=x, type=double, field_length=-3 &end", "&column name=x, type= &end", "&column name &end",
        "&column =x &end", "&end", "text &column name=x type=long &end", "&column name=x &column name=y type=long &end",
        "&include filename=none.txt", "&array name=a, type=long, dimensions=99999999999 &end",
        "&data mode=ascii, lines_per_row=-1 &end", "&data mode=binary, endian=middle &end",
        "&column name=x, units=\"a\\\", type=double &end"}) {
    const Error error = refusal(std::string("SDDS1\n") + line + '\n' + data_line);
    EXPECT_EQ(error.kind(), ErrorKind::bad_file) << line;
    EXPECT_TRUE(error.offset().has_value()) << line;
  }
}

TEST(HeaderParser, ToleratesWithWarningsAndStrictRefuses) {
  HeaderOptions strict;
  strict.strict = true;
  for (const char* line :
       {"SDDS1 x\n", "SDDS1\n  &column name=x, type=double &end\n", "SDDS1\njunk\n",
        "SDDS1\n&column name=x, type=double &end &column name=y, type=double &end\n",
        "SDDS1\n&column name=x, type=ulong64 &end\n", "SDDS1\n&column name=x, type=double, format_string=%d &end\n"}) {
    const std::string text = line + data_line;
    EXPECT_EQ(parse(text).warnings.size(), 1U) << line;
    EXPECT_EQ(refusal(text, strict).kind(), ErrorKind::bad_file) << line;
  }
  const std::string long_line =
      "SDDS1\n&column name=x, type=double, description=\"" + std::string(5000, 'd') + "\" &end\n";
  EXPECT_EQ(parse(long_line + data_line).columns.at(0).description->size(), 5000U);
  EXPECT_EQ(refusal(long_line + data_line, strict).kind(), ErrorKind::bad_file);
}

TEST(HeaderParser, AcceptsAnyNameOnRequest) {
  HeaderOptions options;
  options.any_names = true;
  EXPECT_EQ(parse("SDDS1\n&column name=\"1 x\", type=double &end\n" + data_line, options).columns.at(0).name, "1 x");
}

TEST(HeaderParser, UnescapesQuotesOnRequest) {
  const std::string text = "SDDS1\n&description text=\"a \\\"b\\\" \\n\" &end\n" + data_line;
  EXPECT_EQ(parse(text).text, "a \\\"b\\\" \\n");
  HeaderOptions options;
  options.unescape_quotes = true;
  EXPECT_EQ(parse(text, options).text, "a \"b\" \\n");
}

TEST(HeaderParser, KeepsQuotedTextOverLines) {
  const Header header =
      parse("SDDS1\n&column name=x, type=double,\n description=\"one\ntwo! three\" &end\n" + data_line);
  EXPECT_EQ(header.columns.at(0).description, "one two! three");
}

TEST(HeaderParser, ReadsIncludedFilesInPlace) {
  const std::string text = "SDDS1\n&include filename=a &end\n&column name=z, type=double &end\n" + data_line;
  IncludedFiles included;
  const auto first = parse_header(text, true, included, {});
  ASSERT_TRUE(std::holds_alternative<NeedFile>(first));
  EXPECT_EQ(std::get<NeedFile>(first).name, "a");
  included["a"] = "&column name=x, type=double &end\n&include filename=b &end\n";
  included["b"] = "&column name=y, type=double &end";
  const Header header = std::get<Header>(parse_header(text, true, included, {}));
  ASSERT_EQ(header.columns.size(), 3U);
  EXPECT_EQ(header.columns[1].name, "y");
  EXPECT_EQ(header.data_offset, text.size());
}

TEST(HeaderParser, FindsTheDataAfterAnIncludedDataCommand) {
  const std::string text = "SDDS1\n&include filename=a &end\nDATA";
  const Header header = std::get<Header>(parse_header(text, true, {{"a", data_line}}, {}));
  EXPECT_EQ(header.data_offset, text.find("DATA"));
}

TEST(HeaderParser, RefusesCyclesOfIncludes) {
  const std::string text = "SDDS1\n&include filename=a &end\n" + data_line;
  IncludedFiles included{{"a", "&include filename=b &end\n"}, {"b", "&include filename=a &end\n"}};
  EXPECT_THROW(static_cast<void>(parse_header(text, true, included, {})), Error);
  // Each file is included twice as often as the previous one: more includes than are allowed.
  included.clear();
  for (char name = 'a'; name < 'o'; ++name) {
    const std::string line = std::string("&include filename=") + static_cast<char>(name + 1) + " &end\n";
    included[std::string(1, name)] = line + line;
  }
  included["o"] = "";
  EXPECT_THROW(static_cast<void>(parse_header(text, true, included, {})), Error);
}

TEST(HeaderParser, GivesUpOnAHeaderWithoutEnd) {
  HeaderOptions options;
  options.largest_header = 1000;
  EXPECT_EQ(refusal("SDDS1\n" + std::string(2000, '\n') + data_line, options).kind(), ErrorKind::bad_file);
  const std::string endless = "SDDS1\n" + std::string(2000, 'x');
  EXPECT_THROW(static_cast<void>(parse_header(endless, false, {}, options)), Error);
}

TEST(HeaderWriter, RepairsOrRefusesTextsThatCannotBeReadBack) {
  Header header;
  header.declared_order = ByteOrder::little;
  ColumnDefinition& column = header.columns.emplace_back();
  column.name = "x";
  for (const char* text :
       {"a!b", "&end", "a&b", "say \\\"hi\\\"", "back\\slash", "=", "a=b", "tab\there", "caf\xc3\xa9"}) {
    column.description = text;
    const Header back = parse(write_header(header));
    EXPECT_EQ(back.columns.at(0).description, text);
    EXPECT_TRUE(back.warnings.empty());
  }
  column.description = "plain \"quotes\"";
  const Header once = parse(write_header(header));
  EXPECT_EQ(once.columns.at(0).description, "plain \\\"quotes\\\"");
  EXPECT_EQ(parse(write_header(once)).columns.at(0).description, once.columns.at(0).description);
  column.description = "a&end";
  EXPECT_EQ(parse(write_header(header, {.canonical = true})).columns.at(0).description, column.description);
  for (const char* text : {"ends in \\", "two\nlines"}) {
    column.description = text;
    EXPECT_THROW(static_cast<void>(write_header(header)), Error) << text;
  }
}

TEST(Names, AreCheckedAndRepaired) {
  for (const char* name : {"x", ".x", ":x", "a@:#+%-._$&/[]9"}) EXPECT_TRUE(is_valid_name(name)) << name;
  for (const char* name : {"", "1x", "a b", "_x", "a,b", "caf\xc3\xa9"}) {
    EXPECT_FALSE(is_valid_name(name)) << name;
    EXPECT_TRUE(is_valid_name(valid_name_for(name))) << name;
  }
  EXPECT_EQ(valid_name_for("momentum x"), "momentum_x");
}

TEST(FormatStrings, MustFitTheType) {
  for (const auto& [format, type] :
       std::initializer_list<std::pair<const char*, Type>>{{"%10.3f", Type::float64},
                                                           {"%ld", Type::int32},
                                                           {"%d", Type::int64},
                                                           {"%hd", Type::int16},
                                                           {"%hu", Type::uint16},
                                                           {"%lu", Type::uint64},
                                                           {"%qd", Type::int32},
                                                           {"%-10s", Type::string},
                                                           {"%c", Type::character},
                                                           {"x = %+.3e m", Type::float80}}) {
    EXPECT_EQ(format_string_fault(format, type), "") << format;
  }
  for (const auto& [format, type] : std::initializer_list<std::pair<const char*, Type>>{{"", Type::float64},
                                                                                        {"%d", Type::float64},
                                                                                        {"%lf", Type::float64},
                                                                                        {"%lld", Type::int64},
                                                                                        {"%d", Type::int16},
                                                                                        {"%10.3s", Type::string},
                                                                                        {"%2c", Type::character},
                                                                                        {"%#f", Type::float32},
                                                                                        {"%", Type::float64}}) {
    EXPECT_NE(format_string_fault(format, type), "") << format;
  }
}

}  // namespace
}  // namespace quire::sdds::header_test
