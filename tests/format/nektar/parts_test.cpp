// Tests of the parts of the format that need no file: counts, lists, numberings, payloads, streams.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "format/nektar/basis.hpp"
#include "format/nektar/range_list.hpp"
#include "format/nektar/streams/stream.hpp"
#include "format/nektar/type_names.hpp"
#include "format/nektar/xml/block.hpp"
#include "format/nektar/xml/payload.hpp"
#include "format/nektar/xml/text.hpp"
#include "format/nektar/xml_scanner.hpp"
#include "kernels/base64.hpp"
#include "quire/base/error.hpp"
#include "support/memory_source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::nektar::parts_test {
namespace {

using Numbers = std::vector<std::uint64_t>;

/// The sums of the specification, by counting.
std::uint64_t counted(const std::string& shape, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t sum = 0;
  for (std::uint64_t p = 0; p < a; ++p) {
    if (shape == "Triangle") sum += b - p;
    if (shape == "Prism") sum += b * (c - p);
    for (std::uint64_t q = 0; q < b; ++q) {
      if (shape == "Tetrahedron" && q + p < b) {
        for (std::uint64_t r = 0; r + p + q < c; ++r) ++sum;
      }
      if (shape == "Pyramid") sum += c - std::max(p, q);
    }
  }
  return sum;
}

TEST(Coefficients, AreTheSumsOfTheSpecification) {
  EXPECT_EQ(coefficients_of("Segment", Numbers{4}), 4U);
  EXPECT_EQ(coefficients_of("Quadrilateral", Numbers{4, 5}), 20U);
  EXPECT_EQ(coefficients_of("Hexahedron", Numbers{4, 5, 6}), 120U);
  for (std::uint64_t a = 1; a < 7; ++a) {
    for (std::uint64_t b = a; b < 8; ++b) {
      EXPECT_EQ(coefficients_of("Triangle", Numbers{a, b}), counted("Triangle", a, b, 0));
      for (std::uint64_t c = b; c < 9; ++c) {
        for (const char* shape : {"Prism", "Tetrahedron", "Pyramid"}) {
          EXPECT_EQ(coefficients_of(shape, Numbers{a, b, c}), counted(shape, a, b, c)) << shape << a << b << c;
        }
        EXPECT_EQ(coefficients_of("Pyramid", Numbers{b, a, c}), counted("Pyramid", b, a, c));
      }
    }
  }
  EXPECT_THROW(static_cast<void>(coefficients_of("Triangle", Numbers{5, 4})), Error);
  EXPECT_THROW(static_cast<void>(coefficients_of("Tetrahedron", Numbers{3, 2, 4})), Error);
  EXPECT_THROW(static_cast<void>(coefficients_of("Pyramid", Numbers{3, 5, 4})), Error);
  EXPECT_THROW(static_cast<void>(coefficients_of("Segment", Numbers{0})), Error);
  EXPECT_THROW(static_cast<void>(coefficients_of("Hexahedron", Numbers{4, 4})), Error);
  EXPECT_THROW(static_cast<void>(coefficients_of("Circle", Numbers{4, 4})), Error);
}

TEST(RangeList, KeepsOrderAndRepetitions) {
  const RangeList list = RangeList::parse("103,109-118, 120 , 7,8,7");
  EXPECT_EQ(list.count(), 15U);
  const Numbers numbers = list.numbers(100);
  EXPECT_EQ(numbers, (Numbers{103, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 120, 7, 8, 7}));
  std::vector<std::uint32_t> part(4);
  list.expand({10, 4}, part);
  EXPECT_EQ(part, (std::vector<std::uint32_t>{118, 120, 7, 8}));
  const std::vector<std::uint32_t> back(numbers.begin(), numbers.end());
  EXPECT_EQ(range_text(back), "103,109-118,120,7-8,7");
  EXPECT_EQ(RangeList::parse("0-4294967295").count(), std::uint64_t{1} << 32);
  EXPECT_THROW(static_cast<void>(RangeList::parse("0-4294967295").numbers(10)), Error);
  for (const char* wrong : {"", ",", "1,", "3-1", "-3", "a", "1 2", "4294967296", "1-2-3", "0x1"}) {
    EXPECT_THROW(static_cast<void>(RangeList::parse(wrong)), Error) << wrong;
  }
}

TEST(RangeList, DropsNumbersThatEqualTheirPredecessor) {
  const auto dropped = [](const char* text) { return RangeList::parse(text).without_repeats(); };
  EXPECT_EQ(dropped("7,7,7"), RangeList::parse("7"));
  EXPECT_EQ(dropped("5-7,7-9,9,3"), RangeList::parse("5-9,3"));
  EXPECT_EQ(dropped("1-4,1-4"), RangeList::parse("1-4,1-4"));
  EXPECT_EQ(dropped("7,8,7"), RangeList::parse("7,8,7"));
}

TEST(Basis, NumberingFollowsTheRules) {
  std::vector<std::string> warnings;
  const std::vector<std::uint32_t> seven{4, 5, 7};
  const std::vector<std::uint32_t> nine{4, 4, 9};
  const auto last = [&](const std::vector<std::uint32_t>& numbers, const char* shape, const Provenance& provenance) {
    const BasisNumbers kind{numbers, shape};
    return basis_names(numbers, find_numbering(std::span(&kind, 1), provenance, warnings)).back();
  };
  EXPECT_EQ(last(seven, "Triangle", {}), "Fourier");  // a basis of pyramids cannot be homogeneous
  EXPECT_EQ(last(nine, "Quadrilateral", {}), "Fourier");
  const std::vector<std::uint32_t> pyramid{4, 4, 8};
  EXPECT_EQ(last(pyramid, "Pyramid", {"5.1.0", ""}), "ModifiedPyr_C");
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(last(pyramid, "Pyramid", {}), "ModifiedPyr_C");
  EXPECT_EQ(warnings.size(), 1U);
  EXPECT_EQ(last(pyramid, "Pyramid", {"4.4.1", ""}), "GLL_Lagrange");
  EXPECT_EQ(last(pyramid, "Pyramid", {"4.5.0", "09-Apr-2017 00:00:00"}), "GLL_Lagrange");
  EXPECT_EQ(last(pyramid, "Pyramid", {"4.5.0", "10-Apr-2017 00:00:00"}), "ModifiedPyr_C");
  const std::vector<std::uint32_t> unknown{4, 99};
  EXPECT_THROW(static_cast<void>(last(unknown, "Triangle", {})), Error);
  EXPECT_EQ(basis_number("FourierHalfModeIm"), 17U);
}

TEST(Basis, AFileHasOneNumbering) {
  std::vector<std::string> warnings;
  const BasisNumbers either{{10, 10}, "Quadrilateral"};
  const BasisNumbers old{{4, 5, 7}, "Triangle"};      // 7 is a basis of pyramids in the present numbering
  const BasisNumbers present{{4, 5, 9}, "Triangle"};  // 9 is not a Fourier basis in the old numbering
  const auto found = [&](const std::vector<BasisNumbers>& kinds, const Provenance& provenance) {
    return find_numbering(kinds, provenance, warnings);
  };
  EXPECT_EQ(found({either, old}, {"5.0.0", ""}), Numbering::old);
  EXPECT_EQ(found({present, either}, {"4.4.0", ""}), Numbering::present);
  EXPECT_EQ(found({either}, {"4.4.0", ""}), Numbering::old);
  EXPECT_THROW(static_cast<void>(found({old, present}, {"5.0.0", ""})), Error);
  EXPECT_TRUE(warnings.empty());
}

TEST(TypeNames, HashEqualsLibstdcxx) {
  // From real files (specs/nektar-fld.md section 5.4).
  EXPECT_EQ(string_hash("uvp45TriangleUNIORDER:7,7"), 3652622109634278165U);
  EXPECT_EQ(string_hash("uvwp459Triangle-HomogenousExp1D1"), 11035065736459165536U);
}

TEST(TypeNames, KindsWithTheSameHashGetDifferentNames) {
  StepDescription step;
  std::vector<BlockPair> blocks;
  for (const auto& names : std::vector<std::vector<std::string>>{{"a", "b"}, {"ab"}}) {
    Table table;
    table.name = "t" + std::to_string(step.tables.size());
    for (const std::string& name : names) {
      Column column;
      column.name = name;
      table.columns.push_back(column);
    }
    table.expansion.emplace();
    table.expansion->shape = "Segment";
    table.expansion->basis = {"Modified_A"};
    table.expansion->modes = {3};
    blocks.push_back({step.tables.size(), 0});
    step.tables.push_back(table);
  }
  std::vector<std::size_t> of_block;
  const auto groups = type_groups(step, blocks, of_block);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(of_block, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(groups[1].hash, groups[0].hash + 1);
}

TEST(Base64, SkipsWhiteSpaceAndAcceptsPadding) {
  const std::string text = "any carnal pleas";
  std::string encoded;
  kernels::encode_base64(std::as_bytes(std::span(text)), encoded);
  EXPECT_EQ(encoded, "YW55IGNhcm5hbCBwbGVhcw==");
  const std::string spread = " YW5\n5IGNhc m5hb\tCBwbGVhcw= =\r\n";
  for (std::size_t piece = 1; piece < 8; ++piece) {
    kernels::Base64Decoder decoder;
    std::string decoded;
    for (std::size_t i = 0; i < spread.size();) {
      std::array<std::byte, 5> out{};
      const auto step = decoder.decode(std::string_view(spread).substr(i, piece), out);
      ASSERT_TRUE(step);
      decoded.append(reinterpret_cast<const char*>(out.data()), step->made);
      i += step->used;
    }
    EXPECT_EQ(decoded, text) << piece;
    EXPECT_TRUE(decoder.may_end());
  }
  for (const char* wrong : {"YW5*", "YW5=YW5=", "=", "YW55=", "YW5\x80"}) {
    kernels::Base64Decoder decoder;
    std::array<std::byte, 16> out{};
    EXPECT_FALSE(decoder.decode(wrong, out)) << wrong;
  }
}

TEST(Payload, IsReadInAnyOrderAndRefusesDamage) {
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  std::string text;
  PayloadWriter writer([&](std::string_view characters) { text += characters; });
  writer.add(values);
  writer.finish();
  EXPECT_TRUE(text.starts_with("eJ"));
  EXPECT_EQ(text.size() % 4, 0U);
  EXPECT_EQ(text.find('='), std::string::npos);
  const auto read = [&](const std::string& characters, std::uint64_t count, std::uint64_t first, std::size_t wanted) {
    test::MemorySource source("<E>" + characters);
    PayloadReader reader(source, {3, characters.size()}, count, ByteOrder::little);
    std::vector<double> out(wanted);
    reader.read(first, out);
    reader.read(first / 2, out);
    return out;
  };
  const auto part = read(text, values.size(), 90000, 10);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), values.begin() + 45000));
  const auto all = [&](const std::string& characters, std::uint64_t count) {
    return read(characters, count, 0, static_cast<std::size_t>(count));
  };
  EXPECT_EQ(all(text + "AAAA\n", values.size()), values) << "zero bytes after the stream are not damage";
  EXPECT_THROW(static_cast<void>(all(text + "AAAB", values.size())), Error);
  EXPECT_THROW(static_cast<void>(all(text, values.size() - 1)), Error);
  EXPECT_THROW(static_cast<void>(all(text, values.size() + 1)), Error);
  EXPECT_THROW(static_cast<void>(all(text.substr(0, text.size() / 2), values.size())), Error);
  std::string flipped = text;
  flipped[flipped.size() / 2] = flipped[flipped.size() / 2] == 'A' ? 'B' : 'A';
  EXPECT_THROW(static_cast<void>(all(flipped, values.size())), Error);
}

TEST(XmlScanner, FindsElementsWithoutReadingThem) {
  const std::string file =
      "\xEF\xBB\xBF<?xml version='1.0'?><!-- > -->\n<NEKTAR>\n <A x='>' y=\"/>\"/> <B><B>t</B><![CDATA[</B>]]></B>"
      "<!-- <C/> --></NEKTAR>\n<NEKTAR><D>1</D></NEKTAR>\n";
  test::MemorySource source(file);
  XmlScanner scanner(source, 0, file.size());
  std::string names;
  while (const auto element = scanner.next()) {
    names += element->name + "=" + file.substr(element->content.offset, element->content.length) + ";";
  }
  EXPECT_EQ(names, "A=;B=<B>t</B><![CDATA[</B>]]>;D=1;");
  for (std::size_t cut = 4; cut + 2 < file.size(); ++cut) {
    test::MemorySource part(file.substr(0, cut));
    XmlScanner other(part, 0, cut);
    const bool is_whole = file.substr(0, cut).ends_with("</NEKTAR>") || file.substr(0, cut).ends_with("</NEKTAR>\n");
    const auto walk = [&] {
      while (other.next()) {
      }
    };
    if (is_whole) {
      EXPECT_NO_THROW(walk()) << cut;
    } else {
      EXPECT_THROW(walk(), Error) << cut;
    }
  }
}

TEST(XmlBlock, RefusesContradictions) {
  std::vector<std::string> warnings;
  const std::string good =
      R"(<ELEMENTS FIELDS="u,p" SHAPE="Triangle" BASIS="Modified_A,Modified_B" NUMMODESPERDIR="UNIORDER:2,3" ID="0-1">)";
  const XmlBlock block = parse_tag(good, 80, warnings);
  EXPECT_EQ(block.coefficients, 10U);
  EXPECT_EQ(block.elements, 2U);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string tag = good;
    tag.replace(tag.find(from), from.size(), to);
    return tag;
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"0-1", "0-4294967295"},
           {"2,3", "2"},
           {"2,3", "3,2"},
           {"UNIORDER", "MIXORDER"},
           {"UNIORDER", "ANYORDER"},
           {"Triangle", "Circle"},
           {"Triangle", "Triangle-HomogenousExp1D"},
           {"Modified_B", "Unknown"},
           {",Modified_B", ""},
           {"u,p", "u,u"},
           {"u,p", ""},
           {" ID=\"0-1\"", ""},
           {" ID=", " COMPRESSED=\"B32\" ID="},
           {" ID=", " HOMOGENEOUSZIDS=\"0\" ID="},
           {"2,3", "1000000,1000000"},
       }) {
    EXPECT_THROW(static_cast<void>(parse_tag(changed(from, to), 80, warnings)), Error) << to;
  }
  EXPECT_TRUE(warnings.empty());
  static_cast<void>(parse_tag(changed(" ID=", " NEW=\"1\" ID="), 80, warnings));
  EXPECT_EQ(warnings.size(), 1U);
}

std::vector<std::byte> bytes_of(const std::string& name) {
  std::ifstream file(std::string(QUIRE_TEST_DATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// The coefficients of the blocks of a stream: 100 x variable + element + k/64.
void check_values(std::span<const std::byte> stream, const StreamBlock& block) {
  const auto part = [&](const Extent& place) { return stream.data() + place.offset; };
  const std::uint64_t each = block.coefficients / block.elements;
  for (std::uint64_t v = 0; v < block.variables.size(); ++v) {
    for (std::uint64_t i = 0; i < block.coefficients; ++i) {
      std::uint32_t id = 0;
      double value = 0;
      std::memcpy(&id, part(block.ids) + i / each * sizeof id, sizeof id);
      std::memcpy(&value, part(block.values) + (v * block.coefficients + i) * sizeof value, sizeof value);
      ASSERT_EQ(value, 100.0 * static_cast<double>(v + 1) + id + static_cast<double>(i % each) / 64);
    }
  }
}

std::vector<StreamBlock> blocks_in(std::span<const std::byte> bytes) {
  test::MemorySource source(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return parse_stream(source).blocks;
}

TEST(Stream, BothLayoutsAreRead) {
  for (const char* layout : {"old", "new"}) {
    for (const char* rank : {"0", "1"}) {
      const std::string name = std::string("tiny-sion-") + layout + ".rank" + rank + ".bin";
      const auto bytes = bytes_of(name);
      const auto blocks = blocks_in(bytes);
      EXPECT_TRUE(begins_like_stream(std::span(bytes).first(stream_head_bytes)));
      ASSERT_EQ(blocks.size(), *rank == '0' ? 2U : 1U) << name;
      for (const StreamBlock& block : blocks) {
        EXPECT_EQ(block.variables, (std::vector<std::string>{"u", "p"}));
        check_values(bytes, block);
      }
      EXPECT_EQ(blocks.back().expansion.shape, "Quadrilateral");
      for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        // The data after the last block of the second layout may be missing as a whole.
        const std::uint64_t end = blocks.back().values.offset + blocks.back().values.length;
        if (cut == end) continue;
        EXPECT_THROW(static_cast<void>(blocks_in(std::span(bytes).first(cut))), Error) << name << " " << cut;
      }
    }
  }
}

TEST(Stream, StreamsToBeMergedBeginWithTheirRank) {
  for (const std::uint64_t rank : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{300}}) {
    std::vector<std::byte> bytes = bytes_of("tiny-sion-new.rank0.bin");
    const auto word = std::as_bytes(std::span(&rank, 1));
    bytes.insert(bytes.begin() + sizeof(std::uint32_t), word.begin(), word.end());
    EXPECT_TRUE(begins_like_stream(std::span(bytes).first(stream_head_bytes)));
    test::MemorySource source(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    EXPECT_EQ(parse_stream(source, true).blocks.size(), 2U);
    EXPECT_THROW(static_cast<void>(parse_stream(source, false)), Error);
  }
}

TEST(XmlText, BlocksAreSplitAtTheLimitAndNoElementMayExceedIt) {
  const auto cuts_of = [](const Numbers& counts, std::size_t variables, std::uint64_t largest) {
    Cutter cutter(variables, largest);
    for (const std::uint64_t count : counts) cutter.add(count);
    return cutter.finish();
  };
  const auto cuts = cuts_of({3, 4, 5, 100, 1}, 2, 7 * 2 * sizeof(double));
  std::vector<std::size_t> sizes;
  for (const Cut& cut : cuts) sizes.push_back(cut.count);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 1, 1}));
  EXPECT_EQ(cuts[3].offset, 112U);
  constexpr std::uint64_t whole = std::uint64_t{1} << 29;  // 4 GiB of one variable
  EXPECT_THROW(static_cast<void>(cuts_of({whole}, 1, 0xFFFFFFFF)), Error);
  EXPECT_EQ(cuts_of({whole - 1, whole - 1}, 1, 0xFFFFFFFF).size(), 2U);
}

/// A block as it is written, in memory.
std::vector<std::byte> written_stream(const Table& table, std::span<const std::uint32_t> modes,
                                      std::span<const std::uint32_t> ids, std::span<const double> values) {
  std::vector<std::byte> bytes = stream_opening(1);
  const auto add = [&](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  add(block_opening(table, ids.size()));
  add(std::as_bytes(modes));
  for (const std::uint64_t count : {ids.size(), values.size()}) {
    add(std::as_bytes(std::span(&count, 1)));
    add(count == ids.size() ? std::as_bytes(ids) : std::as_bytes(values));
  }
  return bytes;
}

TEST(Stream, WrittenBlocksAreReadBack) {
  Table table;
  table.name = "Triangle";
  table.expansion.emplace();
  table.expansion->shape = "Triangle";
  table.expansion->basis = {"Modified_A", "Modified_B", "Fourier"};
  table.expansion->lengths = {0.1};
  table.expansion->z_ids = {2, 3};
  for (const char* name : {"u", "v"}) table.columns.emplace_back().name = name;
  const std::vector<std::uint32_t> ids{7, 5};
  const std::vector<std::uint32_t> modes{2, 3, 4, 3, 3, 4};  // 5 and 6 coefficients, in two planes
  for (const bool is_mixed : {false, true}) {
    table.expansion->modes = is_mixed ? Numbers{} : Numbers{2, 3, 4};
    table.rows = is_mixed ? 22 : 20;
    const std::vector<double> values(2 * table.rows, 1.5);
    auto bytes = written_stream(table, is_mixed ? std::span(modes) : std::span<const std::uint32_t>(), ids, values);
    ASSERT_EQ(bytes.size(), stream_opening(1).size() + block_bytes(table, 2));
    EXPECT_TRUE(begins_like_stream(std::span(bytes).first(stream_head_bytes)));
    Attribute time;
    time.name = "Time";
    time.value = Value("0.5");
    const auto metadata = stream_metadata({time});
    bytes.insert(bytes.end(), metadata.begin(), metadata.end());
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    test::MemorySource source(text);
    const Stream stream = parse_stream(source);
    ASSERT_EQ(stream.blocks.size(), 1U);
    const StreamBlock& block = stream.blocks.front();
    EXPECT_EQ(block.expansion, *table.expansion);
    EXPECT_EQ(block.coefficients, table.rows);
    EXPECT_EQ(block.orders.length, is_mixed ? modes.size() * sizeof(std::uint32_t) : 0U);
    EXPECT_NE(stream.metadata.find("<Time>0.5</Time>"), std::string::npos);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      if (cut == bytes.size() - metadata.size()) continue;
      EXPECT_THROW(static_cast<void>(blocks_in(std::span(bytes).first(cut))), Error) << cut;
    }
  }
}

TEST(Fuzzer, FindsNothingInDamagedFiles) {
  for (const char* name : {"tiny.fld", "tiny-3d-unequal.fld", "tiny-mixed-2hom.fld", "tiny-dir.fld/Info.xml",
                           "tiny-sion-old.rank0.bin", "tiny-sion-new.rank0.bin"}) {
    auto bytes = bytes_of(name);
    const auto run = [&](std::size_t size) {
      ASSERT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), size), 0) << name;
    };
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) run(cut);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const unsigned change : {1U, 0x80U, 0xFFU}) {
        bytes[i] ^= static_cast<std::byte>(change);
        run(bytes.size());
        bytes[i] ^= static_cast<std::byte>(change);
      }
    }
  }
}

TEST(Fuzzer, FindsNothingInItsOwnInputs) {
  std::size_t made = 0;
  for (const auto& entry : std::filesystem::directory_iterator(QUIRE_TEST_DATA "/../fuzzed/nektar")) {
    SCOPED_TRACE(entry.path().filename().string());
    const auto bytes = bytes_of("../fuzzed/nektar/" + entry.path().filename().string());
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    ++made;
  }
  EXPECT_GT(made, 30U);
}

}  // namespace
}  // namespace quire::nektar::parts_test
