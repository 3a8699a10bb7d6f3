import { describe, expect, it } from "vitest";
import type { Schema } from "../schema.ts";
import { compileExpression } from "./expression.ts";
import { shapeOf } from "./shape.ts";
import { CompileError, showError } from "./syntax.ts";

const schema: Schema = {
  type: "object",
  properties: {
    n: { type: "integer" },
    d: { type: "number" },
    s: { type: "string", maxLength: 20 },
    b: { type: "boolean" },
    l: { type: "array", maxItems: 5, items: { type: "string", maxLength: 10 } },
    ints: { type: "array", maxItems: 5, items: { type: "integer" } },
    m: { type: "object", maxProperties: 5, additionalProperties: { type: "integer" } },
    t: { type: "string", format: "date-time" },
    du: { type: "string", format: "duration" },
    by: { type: "string", format: "byte", maxLength: 20 },
    ios: { "x-kubernetes-int-or-string": true },
    nul: { type: "string", nullable: true },
    "a-b": { type: "string" },
    in: { type: "string" },
    x__y: { type: "string" },
    absent: { type: "string" },
    any: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { k: { type: "string" } } },
  },
};
const value = {
  n: 7,
  d: 1.5,
  s: "héllo, wörld",
  b: true,
  l: ["a", "b", "c"],
  ints: [3, 1, 2],
  m: { a: 1, b: 2 },
  t: "2024-02-29T12:34:56.789Z",
  du: "1h30m",
  by: "aGk=",
  ios: 5,
  "a-b": "dash",
  in: "word",
  x__y: "under",
  any: { k: "v" },
};
const shape = shapeOf(schema, "self")!;
const evaluate = (source: string) =>
  compileExpression(source, { self: shape.type }).evaluate({ self: shape.convert(value) });

describe("an expression that holds", () => {
  it.each([
    "self.n == 7 && self.d == 1.5",
    "self.n > 1.5 && self.n < 7.5 && self.n > 1u",
    "self.n + 1 == 8 && self.n - 10 == -3 && -self.n == -7 && self.n * 2 == 14 && self.n / 2 == 3 && self.n % 4 == 3",
    "-7 / 2 == -3 && -7 % 4 == -3",
    "self.d * 2.0 == 3.0 && double(self.n) == 7.0",
    "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 10 - 2 - 3 == 5",
    "true || 1 / 0 == 1",
    "1 / 0 == 1 || true",
    "!(false && 1 / 0 == 1) && !(1 / 0 == 1 && false)",
    "self.b ? self.n == 7 : 1 / 0 == 1",
    "optional.of(1) != null && !(optional.none() == null) && quantity('1') != null",
    "0x1F == 31 && 1e3 == 1000.0 && .5 == 0.5 && -9223372036854775808 < 0",
    `"a\\tb\\x41\\u00e9\\U0001F600\\101" == 'a\tbAé😀A' && r'\\d' == '\\\\d' && """a'b""" == "a'b"`,
    "b'\\xff\\x00a' == b'\\377\\000a' && size(b'é') == 2",
    "size(self.s) == 12 && self.s.size() == 12",
    "self.s.startsWith('hé') && self.s.endsWith('ld') && self.s.contains(', ')",
    "self.s.matches('^h.*d$') && !self.s.matches('^x') && matches(self.s, 'l+')",
    "self.s.indexOf('l') == 2 && self.s.lastIndexOf('l') == 10 && self.s.indexOf('zz') == -1 && self.s.indexOf('l', 3) == 3",
    "self.s.charAt(1) == 'é' && self.s.substring(7) == 'wörld' && self.s.substring(0, 2) == 'hé'",
    "self.s.replace('l', 'L') == 'héLLo, wörLd' && self.s.replace('l', 'L', 1) == 'héLlo, wörld'",
    "self.s.split(', ') == ['héllo', 'wörld'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b']",
    "self.l.join('-') == 'a-b-c' && self.l.join() == 'abc'",
    "'AbÉ'.lowerAscii() == 'abÉ' && 'abé'.upperAscii() == 'ABé' && ' a '.trim() == 'a'",
    "'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.findAll('[0-9]+', 1) == ['1'] && 'x'.find('y') == ''",
    "'%s is %d, %.2f, %x'.format(['a', 5, 1.5, 255]) == 'a is 5, 1.50, ff'",
    "self.l[0] == 'a' && self.m['a'] == 1 && self.m.b == 2",
    "'a' in self.l && !('z' in self.l) && 'a' in self.m && !('z' in self.m)",
    "self.l == ['a', 'b', 'c'] && self.l != ['a'] && self.l + ['d'] == ['a', 'b', 'c', 'd']",
    "{'a': 1, 'b': 2} == self.m && {1: 'x'}[1] == 'x' && {'a': 1}.a == 1",
    "self.l.all(x, x < 'd') && self.l.exists(x, x == 'b') && self.l.exists_one(x, x == 'c') && !self.l.exists(x, x == 'z')",
    "self.m.all(k, self.m[k] > 0) && self.m.exists(k, v, k == 'b' && v == 2)",
    "self.ints.filter(x, x > 1) == [3, 2] && self.ints.map(x, x * 2) == [6, 2, 4] && self.ints.map(x, x > 1, x * 2) == [6, 4]",
    "self.l.all(i, v, self.l[i] == v)",
    "self.l.transformList(i, v, v + string(i)) == ['a0', 'b1', 'c2'] && self.m.transformMap(k, v, v + 1) == {'a': 2, 'b': 3}",
    "self.ints.all(x, self.ints.exists(y, y >= x)) && self.ints.map(x, self.ints.map(y, x * y)).size() == 3",
    "[1, 0].exists(x, 1 / x == 1) && ![0, 2].all(x, 4 / x == 1)",
    "!self.ints.isSorted() && self.l.isSorted() && self.ints.sum() == 6 && self.ints.min() == 1 && self.ints.max() == 3",
    "[1.5, 2.5].sum() == 4.0 && [1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(9) == -1",
    "sets.contains(self.l, ['a']) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1, 2]) && !sets.contains([1], [2])",
    "has(self.s) && !has(self.absent) && has(self.any.k) && has(self.m.a) && !has(self.m.z)",
    "self.a__dash__b == 'dash' && self.__in__ == 'word' && self.x__underscores__y == 'under'",
    "self.t == timestamp('2024-02-29T12:34:56.789Z') && self.t > timestamp('2020-01-01T00:00:00Z')",
    "self.t.getFullYear() == 2024 && self.t.getMonth() == 1 && self.t.getDate() == 29 && self.t.getDayOfMonth() == 28 && self.t.getDayOfWeek() == 4 && self.t.getDayOfYear() == 59",
    "self.t.getHours() == 12 && self.t.getMinutes() == 34 && self.t.getSeconds() == 56 && self.t.getMilliseconds() == 789 && self.t.getHours('+01:00') == 13",
    "self.du == duration('90m') && self.du.getMinutes() == 90 && self.t + self.du > self.t && string(duration('1500ms')) == '1.5s'",
    "timestamp('2020-01-02T00:00:00Z') - timestamp('2020-01-01T00:00:00Z') == duration('24h')",
    "self.by == b'hi' && string(self.by) == 'hi' && bytes('hi') == b'hi'",
    "self.ios == 5 && self.ios != 'x' && type(self.ios) == int && type(self.s) == string && dyn(self.n) != 'x'",
    "int('42') == 42 && int(3.9) == 3 && uint(3) == 3u && double('1.5') == 1.5 && string(1) == '1' && string(1.5) == '1.5' && string(true) == 'true' && bool('true')",
    "self.?absent.orValue('x') == 'x' && self.?s.hasValue() && !self.?absent.hasValue() && self.m[?'z'].orValue(9) == 9",
    "optional.of(1).value() == 1 && optional.none().orValue(2) == 2 && optional.of(1).optMap(x, x + 1).value() == 2",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('100m').compareTo(quantity('0.1')) == 0 && quantity('2Ki').asInteger() == 2048",
    "isQuantity('1Gi') && !isQuantity('x') && quantity('1').add(quantity('500m')) == quantity('1.5') && quantity('3').sub(1) == quantity('2')",
    "ip('1.2.3.4').family() == 4 && isIP('::1') && !isIP('x') && ip('127.0.0.1').isLoopback() && !isIP('01.2.3.4')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.0.0.0/8').prefixLength() == 8 && !isCIDR('x')",
    "{'a': 1, 'a': 2} == {'a': 2} && 'aba'.lastIndexOf('a', 5) == 2 && 'aba'.indexOf('a', 3) == -1",
    "self.l.size() == 3 && size(self.m) == 2 && ['b', 'a'].all(x, x in self.m)",
    "url('https://user:pw@example.com:80/a%20b/c?x=1&x=2&y=%20z#frag').getHost() == 'example.com:80'",
    "url('https://example.com:80/a%20b/c?x=1&x=2&y=%20z').getQuery() == {'x': ['1', '2'], 'y': [' z']}",
    "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:80/').getPort() == '80' && url('https://[::1]:80/').getHost() == '[::1]:80'",
    "url('HTTPS://a/p%20q').getScheme() == 'https' && url('https://a/p%20q').getEscapedPath() == '/p%20q' && url('/x').getScheme() == '' && url('/x').getEscapedPath() == '/x'",
    "isURL('http://a') && isURL('/a') && isURL('mailto:x') && !isURL('a/b') && !isURL('') && !isURL('http://a:b/') && !isURL('http://a b') && !isURL('../x')",
    "url('http://a/b') == url('http://a/b') && url('http://a/b') != url('http://a/c')",
    "url('http://a').getEscapedPath() == '' && url('http://a?b').getQuery() == {'b': ['']}",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('2.0.0').isGreaterThan(semver('2.0.0-rc.1')) && semver('1.2.3').compareTo(semver('1.2.3+b')) == 0",
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "isSemver('1.0.0-a.1+b') && !isSemver('1.0') && !isSemver('v1.0.0') && !isSemver('01.0.0') && !isSemver('') && !isSemver('1.0.0-01')",
    "isSemver('v1', true) && isSemver('1.02', true) && semver('v1.02', true) == semver('1.2.0') && !isSemver('1-a', true) && !isSemver('x', true)",
    "semver('1.0.0-1').isLessThan(semver('1.0.0-a')) && semver('1.0.0-a').isLessThan(semver('1.0.0-a.b')) && semver('1.0.0-2').isLessThan(semver('1.0.0-10'))",
    "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A_').value().size() > 0",
    "format.named('uuid').value().validate('x').value() == ['does not match the UUID format'] && !format.named('nope').hasValue()",
    "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.dns1123Label().validate('a-').hasValue() && !format.uri().validate('http://a').hasValue() && format.uri().validate('a').hasValue()",
    "!format.date().validate('2021-01-01').hasValue() && format.datetime().validate('x').value() == ['invalid datetime'] && !format.byte().validate('aGk=').hasValue() && format.byte().validate('!').value() == ['invalid base64']",
    "!format.qualifiedName().validate('a/b').hasValue() && !format.labelValue().validate('').hasValue() && !format.dns1035Label().validate('a').hasValue() && format.dns1035Label().validate('1').hasValue() && !format.dns1123Subdomain().validate('a.b').hasValue()",
  ])("%s", (source) => {
    expect(evaluate(source)).toBe(true);
  });
});

describe("an expression that does not compile", () => {
  it.each([
    ["self.n > 'a'", 8, "found no matching overload for '_>_' applied to '(int, string)'"],
    ["foo > 1", 1, "undeclared reference to 'foo' (in container '')"],
    [
      "self.n +",
      9,
      "Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    ["self.s.matches('(')", 16, "invalid matches argument"],
    ["self.du < duration('soon')", 20, "invalid duration argument"],
    ["self.t < timestamp('soon')", 20, "invalid timestamp argument"],
    ["self.n == 'x'", 8, "found no matching overload for '_==_' applied to '(int, string)'"],
    ["has(self.nope)", 4, "undefined field 'nope'"],
    ["self.l.all(x, x.nope)", 16, "type 'string' does not support field selection"],
    ["self.any.k == self.any.z", 23, "undefined field 'z'"],
    ["self.s.nofn()", 12, "undeclared reference to 'nofn' (in container '')"],
    ["nofn(self.s)", 5, "undeclared reference to 'nofn' (in container '')"],
    ["self.n + self.d > 0", 8, "found no matching overload for '_+_' applied to '(int, double)'"],
    ["self.l.sum()==0", 11, "found no matching overload for 'sum' applied to 'list(string).()'"],
    ["self.nul == null", 10, "found no matching overload for '_==_' applied to '(string, null)'"],
    ["self.n.nope", 7, "type 'int' does not support field selection"],
    ["self.metadata.name == 'x'", 5, "undefined field 'metadata'"],
    ["self.in == 'x'", 6, "Syntax error: no viable alternative at input '.in'"],
    ["self.l.exists(x,x=='a') ? 1 : true", 25, "found no matching overload for '_?_:_' applied to '(bool, int, bool)'"],
    ["!self.n", 1, "found no matching overload for '!_' applied to '(int)'"],
    ["-self.s == ''", 1, "found no matching overload for '-_' applied to '(string)'"],
    ["1 in self.l", 3, "found no matching overload for '@in' applied to '(int, list(string))'"],
    ["size(self.n) > 1", 5, "found no matching overload for 'size' applied to '(int)'"],
    ["self.s.startsWith(1)", 18, "found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ["[1,'a'] == []", 4, "expected type 'int' but found 'string'"],
    ["self.n = 1", 8, "Syntax error: token recognition error at: '= '"],
    ["self.d % 2.0 == 0.0", 8, "found no matching overload for '_%_' applied to '(double, double)'"],
    [
      "self.all(k, k == '')",
      1,
      "expression of type 'object(self)' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["cel.bind(x, self.n, x > 1)", 9, "undeclared reference to 'bind' (in container '')"],
  ])("%s is refused", (source, column, message) => {
    let shown = "";
    try {
      compileExpression(source, { self: shape.type });
    } catch (error) {
      if (error instanceof CompileError) shown = showError(error, source);
    }
    expect(shown).toBe(`ERROR: <input>:1:${column}: ${message}\n | ${source}\n | ${".".repeat(column - 1)}^`);
  });

  it("reports every fault, and none that follows from another", () => {
    const source = "a.x ==\n b + 1 && self.n.all(c, c.nope) && self.s == 1 && nope(self.s)";
    const reported = (): string[] => {
      try {
        compileExpression(source, { self: shape.type });
      } catch (error) {
        if (error instanceof CompileError) return showError(error, source).match(/^ERROR: .*/gm) ?? [];
      }
      return [];
    };
    expect(reported()).toEqual([
      "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')",
      "ERROR: <input>:2:2: undeclared reference to 'b' (in container '')",
      "ERROR: <input>:2:15: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
      "ERROR: <input>:2:43: found no matching overload for '_==_' applied to '(string, int)'",
      "ERROR: <input>:2:55: undeclared reference to 'nope' (in container '')",
    ]);
  });

  it.each([
    ["parentheses", "(".repeat(100_000)],
    ["nested parentheses", "(".repeat(5000) + "1" + ")".repeat(5000)],
    ["operators", Array.from({ length: 20_000 }, () => "1").join("+")],
    ["truths", Array.from({ length: 20_000 }, () => "true").join("&&")],
    ["signs", `${"!".repeat(50_000)}true`],
    ["lists", "[".repeat(50_000)],
    ["fields", `self${".m".repeat(30_000)}`],
    [
      "nested conditions",
      Array.from({ length: 30 }).reduce<string>((inner) => `(${inner}${"&&true".repeat(500)})`, "true"),
    ],
    ["an unterminated text", `"${"a".repeat(50_000)}`],
  ])("an oversized expression is rejected: %s", (_, source) => {
    expect(() => compileExpression(source, { self: shape.type })).toThrow(CompileError);
  });
});

describe("an expression that fails at run time", () => {
  it.each([
    ["1 / (self.n - 7) == 1", "division by zero"],
    ["self.n % (self.n - 7) == 1", "modulus by zero"],
    ["self.n + 9223372036854775807 > 0", "integer overflow"],
    ["self.absent == ''", "no such key: absent"],
    ["self.m['z'] == 1", "no such key: z"],
    ["self.l[9] == ''", "index out of bounds: 9"],
    ["int(self.s) > 1", "type conversion error from 'string' to 'int'"],
    ["dyn(self.n) > 'x'", "no such overload"],
    ["[0].all(x, 1 / x > 0)", "division by zero"],
    ["optional.none().value() == 1", "optional.none() dereference"],
    ["quantity(self.s) == quantity('1')", "quantities must match the regular expression"],
    ["ip(self.s) == ip('::1')", 'ParseAddr("héllo, wörld"): unable to parse IP'],
    ["semver(self.s) == semver('1.0.0')", "No Major.Minor.Patch elements found"],
    ["dyn(self.s).nope == 1", "no such key: nope"],
    ["dyn(self.n)['a'] == 1", "no such key: a"],
    ["int('99999999999999999999') == 1", "type conversion error from 'string' to 'int'"],
    ["'%d'.format([self.s]) == ''", "decimal clause can only be used on integers, was given string"],
  ])("%s", (source, message) => {
    expect(() => evaluate(source)).toThrow(message);
  });
});
