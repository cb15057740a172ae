import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import type { Opaque } from '../values.ts';

interface Version {
  numbers: readonly bigint[];
  pre: readonly string[];
}

const number = '(0|[1-9]\\d*)';
const preItem = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const shape = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${preItem}(?:\\.${preItem})*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$`,
);

/** `v1` and `01.2` as `1.0.0` and `1.2.0`. */
function normal(text: string): string {
  const [, core = text, rest = ''] = /^([^-+]*)(.*)$/s.exec(text.replace(/^v/, '')) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (rest === '') parts.push(...Array<string>(Math.max(0, 3 - parts.length)).fill('0'));
  return parts.join('.') + rest;
}

function parse(text: string): Version | undefined {
  const found = shape.exec(text);
  if (found === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', pre] = found;
  return { numbers: [major, minor, patch].map(BigInt), pre: pre === undefined ? [] : pre.split('.') };
}

function faultOf(text: string): string {
  if (text === '') return 'Version string empty';
  const parts = text.split('.');
  if (parts.length < 3) return 'No Major.Minor.Patch elements found';
  const names = ['major', 'minor', 'patch'];
  for (const [index, name] of names.entries()) {
    const part = (parts[index] ?? '').replace(index === 2 ? /[-+].*$/s : /$^/, '');
    const shown = `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
    if (/[^0-9]/.test(part) || part === '')
      return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    if (part.length > 1 && part.startsWith('0'))
      return `${shown} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  return 'Invalid character(s) found in prerelease';
}

function comparePre(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left !== right) return left ? -1 : 1;
  if (left) return Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b));
  return Number(a > b) - Number(a < b);
}

function order(a: Opaque, b: Opaque): number {
  const [own, other] = [a.data as Version, b.data as Version];
  for (const [index, each] of own.numbers.entries()) {
    const wanted = other.numbers[index] ?? 0n;
    if (each !== wanted) return each < wanted ? -1 : 1;
  }
  if (own.pre.length === 0 || other.pre.length === 0)
    return Number(own.pre.length === 0) - Number(other.pre.length === 0);
  for (const [index, each] of own.pre.entries()) {
    const wanted = other.pre[index];
    if (wanted === undefined) return 1;
    const found = comparePre(each, wanted);
    if (found !== 0) return found;
  }
  return own.pre.length === other.pre.length ? 0 : -1;
}

function semver(text: string, normalize = false): Opaque {
  const written = normalize ? normal(text) : text;
  const data = parse(written);
  if (data === undefined) throw new EvaluationFault(faultOf(written));
  return {
    kind: 'opaque',
    name: 'kubernetes.Semver',
    text: `${data.numbers.join('.')}-${data.pre.join('.')}`,
    data,
  };
}

const isSemver = (text: string, normalize = false) => parse(normalize ? normal(text) : text) !== undefined;
const part =
  (index: number) =>
  ({ data }: Opaque) =>
    (data as Version).numbers[index] ?? 0n;
const type = 'kubernetes.Semver';

/** Kubernetes' functions of semantic versions. */
export const semvers: Readonly<Record<string, readonly Form[]>> = {
  semver: [
    [`(string) ${type}`, semver],
    [`(string, bool) ${type}`, semver],
  ],
  isSemver: [
    ['(string) bool', isSemver],
    ['(string, bool) bool', isSemver],
  ],
  isGreaterThan: [[`${type}.(${type}) bool`, (a: Opaque, b: Opaque) => order(a, b) > 0]],
  isLessThan: [[`${type}.(${type}) bool`, (a: Opaque, b: Opaque) => order(a, b) < 0]],
  compareTo: [[`${type}.(${type}) int`, (a: Opaque, b: Opaque) => BigInt(order(a, b))]],
  major: [[`${type}.() int`, part(0)]],
  minor: [[`${type}.() int`, part(1)]],
  patch: [[`${type}.() int`, part(2)]],
};
