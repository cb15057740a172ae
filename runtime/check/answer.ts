import type { Bounds } from '../../schemas/generated/types/runtimeconfig.ts';
import type { CheckResult } from '../../semantics/plan/rollout-context.ts';
import { judgeNumber } from './bounds.ts';
import type { GetAnswer } from './get.ts';

/** The result of one response. Of its body it contains only the number. */
export type CheckJudgment = Pick<CheckResult, 'is' | 'value' | 'message'>;

/**
 * Judges the response of a web server: a status other than 2xx fails; a redirect is unknown. With a JSON pointer the number
 * there decides; without a number there the result is unknown.
 */
export function judgeHttp(got: GetAnswer, json: string | undefined, pass: Bounds = {}): CheckJudgment {
  const answered = statusOf(got);
  if ('is' in answered) return answered;
  const message = `answered ${answered.status}`;
  if (!isSuccess(answered.status)) return { is: 'fail', message };
  if (json === undefined) return { is: 'pass', message };
  const parsed = parseJson(answered.body);
  if (parsed === undefined) return unknown(`${message}, not JSON`);
  const value = atPointer(parsed.json, json);
  return typeof value === 'number' && Number.isFinite(value)
    ? { ...judgeNumber(pass, value), value }
    : unknown(`${message}, no number at ${json === '' ? 'the root' : json}`);
}

/** Judges the response of Prometheus to an instant query: a scalar, or the only sample of a vector, decides; anything else is unknown. */
export function judgePrometheus(got: GetAnswer, pass: Bounds): CheckJudgment {
  const answered = statusOf(got);
  if ('is' in answered) return answered;
  if (!isSuccess(answered.status)) return unknown(`Prometheus answered ${answered.status}`);
  const parsed = parseJson(answered.body);
  if (parsed === undefined) return unknown('the response of Prometheus is not JSON');
  if (atPointer(parsed.json, '/status') !== 'success')
    return unknown('the response of Prometheus has no status success');
  const sample = sampleIn(parsed.json);
  if (typeof sample !== 'string') return unknown(sample.problem);
  const value = numberIn(sample);
  if (value === undefined) return unknown('the result of the query is not a number');
  if (!Number.isFinite(value)) return unknown(`the result of the query is ${value}`);
  return { ...judgeNumber(pass, value), value };
}

function unknown(message: string): CheckJudgment {
  return { is: 'unknown', message };
}

function statusOf(got: GetAnswer): { status: number; body: string } | CheckJudgment {
  if ('error' in got) return unknown(`no answer: ${got.error}`);
  const { status } = got;
  return status >= 300 && status < 400
    ? unknown(`the answer is a redirect (${status}), and redirects are not followed`)
    : got;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The text of the one sample of a result. */
function sampleIn(answer: unknown): string | { problem: string } {
  const result = atPointer(answer, '/data/result');
  const type = atPointer(answer, '/data/resultType');
  if (type !== 'scalar' && type !== 'vector') {
    return { problem: 'the result of the query is neither a scalar nor a vector' };
  }
  if (!Array.isArray(result)) return { problem: 'the response of Prometheus has no result' };
  if (type === 'vector' && result.length === 0) return { problem: 'the result of the query is empty' };
  if (type === 'vector' && result.length > 1) {
    return { problem: `the result of the query has ${result.length} samples instead of one` };
  }
  const sample = atPointer(answer, type === 'scalar' ? '/data/result/1' : '/data/result/0/value/1');
  return typeof sample === 'string' ? sample : { problem: 'the result of the query is not a number' };
}

/** A number in the format of Prometheus; undefined: the text is not one. */
function numberIn(text: string): number | undefined {
  if (/^NaN$/i.test(text)) return NaN;
  const infinite = /^([-+]?)Inf(inity)?$/i.exec(text);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  return /^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(text) ? Number(text) : undefined;
}

function parseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The value at a JSON pointer (RFC 6901); undefined: there is none. */
export function atPointer(json: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(member, json);
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(key)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
