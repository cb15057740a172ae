import { parseQuantity, type Quantity, type QuantityFormat } from '../values/quantity.ts';

/** A value of an expression: a plain number, or an amount in thousandths with the format of its first operand. */
export type Value = { number: number } | { milli: bigint; format: QuantityFormat };

/** The result of an expression, or why it has none. */
export type Evaluated = { value: Value } | { problem: string };

/** Longer texts and deeper nesting are refused: nobody writes them, and they would take long. */
const LONGEST = 1_000;
const DEEPEST = 50;

const MILLI = 1_000_000n;
const TOKEN =
  /\s*(?:([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]+|%)?|([A-Za-z_][A-Za-z0-9_]*)|([-+*/(),]))/y;
/** The suffixes of an amount in an expression. */
const SUFFIXES: readonly string[] = ['m', 'k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

type Token = { value: Value } | { name: string } | { sign: string };

class Refused extends Error {}

/**
 * Evaluates an expression of a resources policy over one variable, whose name is read in any case
 * (OpenKruise sidecarset, rule 6.6.5). Signs are + - * / and parentheses; `max` and `min` take two arguments. Amounts
 * cannot be multiplied with or divided by amounts. A negative result is a problem. An unknown suffix is one, too, where
 * OpenKruise reads 0.
 *
 * @param name the variable: `cpu` or `memory`
 */
export function evaluate(text: string, name: string, variable: Value): Evaluated {
  try {
    const parser = parserOf(tokensOf(text), name, variable);
    const value = parser();
    return isNegative(value) ? { problem: 'its result is negative' } : { value };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message };
    throw error;
  }
}

/** The result as an amount. A plain number means cores or bytes, truncated to thousandths (rule 6.6.5). */
export function amountOf(value: Value, usual: QuantityFormat): Quantity {
  if ('milli' in value) return { nanos: value.milli * MILLI, format: value.format };
  return { nanos: truncated(value.number * 1000) * MILLI, format: usual };
}

/** An amount as a value of an expression. */
export function valueOf({ nanos, format }: Quantity): Value {
  return { milli: nanos / MILLI, format };
}

function tokensOf(text: string): Token[] {
  if (text.length > LONGEST) throw new Refused(`it has more than ${LONGEST} characters`);
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const [, digits, suffix, name, sign] = TOKEN.exec(text) ?? [];
    if (digits !== undefined) tokens.push({ value: literal(digits, suffix) });
    else if (name !== undefined) tokens.push({ name: name.toLowerCase() });
    else if (sign !== undefined) tokens.push({ sign });
    else throw new Refused(`"${text.slice(at).trim().charAt(0)}" has no meaning in it`);
  }
  return tokens;
}

function literal(digits: string, suffix: string | undefined): Value {
  if (suffix === undefined) return { number: Number(digits) };
  if (suffix === '%') return { number: Number(digits) / 100 };
  const amount = SUFFIXES.includes(suffix) ? parseQuantity(`${digits}${suffix}`) : undefined;
  if (amount === undefined) throw new Refused(`${digits}${suffix} is no amount`);
  return valueOf(amount);
}

/** A recursive descent over the tokens: a function that reads all of them. */
function parserOf(tokens: readonly Token[], name: string, variable: Value): () => Value {
  let at = 0;
  let depth = 0;
  const isSign = (...signs: string[]): string | undefined => {
    const token = tokens[at];
    if (token === undefined || !('sign' in token) || !signs.includes(token.sign)) return undefined;
    at += 1;
    return token.sign;
  };
  const expect = (sign: string): void => {
    if (isSign(sign) === undefined) throw new Refused(`it lacks "${sign}"`);
  };
  const sum = (): Value => {
    let left = product();
    for (let sign = isSign('+', '-'); sign !== undefined; sign = isSign('+', '-'))
      left = sign === '+' ? added(left, product()) : added(left, negated(product()));
    return left;
  };
  const product = (): Value => {
    let left = factor();
    for (let sign = isSign('*', '/'); sign !== undefined; sign = isSign('*', '/'))
      left = sign === '*' ? multiplied(left, factor()) : divided(left, factor());
    return left;
  };
  const factor = (): Value => {
    depth += 1;
    if (depth > DEEPEST) throw new Refused(`it is nested more than ${DEEPEST} deep`);
    try {
      if (isSign('-') !== undefined) return negated(factor());
      if (isSign('(') !== undefined) {
        const inner = sum();
        expect(')');
        return inner;
      }
      return operand();
    } finally {
      depth -= 1;
    }
  };
  const operand = (): Value => {
    const token = tokens[at];
    at += 1;
    if (token === undefined) throw new Refused('it ends too early');
    if ('value' in token) return token.value;
    if ('sign' in token) throw new Refused(`"${token.sign}" is at a wrong place`);
    if (token.name === name) return variable;
    if (token.name !== 'max' && token.name !== 'min')
      throw new Refused(`it names ${token.name}, where only ${name} has a value`);
    expect('(');
    const first = sum();
    expect(',');
    const second = sum();
    expect(')');
    return chosen(token.name, first, second);
  };
  return () => {
    if (tokens.length === 0) throw new Refused('it is empty');
    const value = sum();
    const rest = tokens[at];
    if (rest !== undefined) throw new Refused('it goes on after its end');
    return value;
  };
}

/** Both as amounts, if one of them is; the format is that of the first amount. */
function alike(a: Value, b: Value): [Value, Value] {
  if ('number' in a && 'number' in b) return [a, b];
  const format = 'milli' in a ? a.format : 'milli' in b ? b.format : 'DecimalSI';
  const milli = (value: Value): Value =>
    'milli' in value ? value : { milli: truncated(value.number * 1000), format };
  return [milli(a), milli(b)];
}

function added(a: Value, b: Value): Value {
  const [left, right] = alike(a, b);
  if ('milli' in left && 'milli' in right) return { milli: left.milli + right.milli, format: left.format };
  return { number: numberIn(left) + numberIn(right) };
}

function chosen(name: 'max' | 'min', a: Value, b: Value): Value {
  const [left, right] = alike(a, b);
  const isLess =
    'milli' in left && 'milli' in right ? left.milli < right.milli : numberIn(left) < numberIn(right);
  return (name === 'min') === isLess ? left : right;
}

function multiplied(a: Value, b: Value): Value {
  if ('milli' in a && 'milli' in b) throw new Refused('it multiplies an amount with an amount');
  if ('milli' in a) return scaled(a, numberIn(b));
  if ('milli' in b) return scaled(b, a.number);
  return finite(a.number * b.number);
}

function divided(a: Value, b: Value): Value {
  if ('milli' in b) throw new Refused('it divides by an amount');
  if (b.number === 0) throw new Refused('it divides by zero');
  return 'milli' in a ? scaled(a, 1 / b.number, b.number) : finite(a.number / b.number);
}

function scaled(value: Extract<Value, { milli: bigint }>, factor: number, divisor?: number): Value {
  const milli = Number(value.milli);
  return {
    milli: truncated(divisor === undefined ? milli * factor : milli / divisor),
    format: value.format,
  };
}

function negated(value: Value): Value {
  return 'milli' in value ? { ...value, milli: -value.milli } : { number: -value.number };
}

function finite(number: number): Value {
  if (!Number.isFinite(number)) throw new Refused('its result is too large');
  return { number };
}

function truncated(number: number): bigint {
  if (!Number.isFinite(number)) throw new Refused('its result is too large');
  return BigInt(Math.trunc(number));
}

function numberIn(value: Value): number {
  return 'number' in value ? value.number : Number(value.milli) / 1000;
}

function isNegative(value: Value): boolean {
  return 'milli' in value ? value.milli < 0n : value.number < 0;
}
