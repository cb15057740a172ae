import { expect } from 'vitest';
import { createChecks } from '../../../runtime/check/checks.ts';
import type { Checks } from '../../../runtime/check/checks.ts';
import { readRuntimeConfig } from '../../../runtime/check/config.ts';
import type { GetAnswer, GetOptions } from '../../../runtime/check/get.ts';
import { createVirtualClock, type VirtualClock } from 'kruise-sandbox/clock';
import type { CheckRequest } from '../../../semantics/plan/rollout-context.ts';

const checks = [
  { name: 'alive', http: { url: 'http://web/', headers: { 'X-Team': 'shop' } }, interval: '10s' },
  { name: 'patient', http: { url: 'http://web/' }, interval: '10s', failures: 3 },
  { name: 'slow', http: { url: 'http://web/slow' } },
  {
    name: 'service',
    http: { url: 'http://{service}.{namespace}.svc/{path}' },
    args: { service: {}, path: { pattern: '^[a-z./]*$', maxLength: 8 } },
  },
  { name: 'slug', http: { url: 'http://web/{slug}' }, args: { slug: { pattern: '^a|b$' } } },
  { name: 'endless', http: { url: 'http://web/{x}' }, args: { x: { pattern: '^(a+)+$' } } },
  {
    name: 'errors',
    prometheus: {
      address: 'http://prometheus/x/',
      query: 'rate(errors{service="{service}",ns="{namespace}"}[5m])',
    },
    pass: { below: 1 },
    args: { service: {} },
  },
  {
    name: 'open',
    prometheus: { address: 'http://prometheus', query: 'up{a="{any}"}' },
    pass: { below: 1 },
    args: { any: { pattern: '^.*$' } },
  },
];

/** Checks with a fake `get`, their requests and their results. */
export interface CheckFixture {
  clock: VirtualClock;
  checks: Checks<string>;
  /** The requests: seconds since the start, and the URL. */
  asked: string[];
  options: GetOptions[];
  /** The results: seconds since the start, key, and the result in short. */
  results: string[];
  /** Responds to a request, by its number from 0. */
  answer(index: number, answer: GetAnswer): void;
}

/** Checks over a `get` that answers with `status`, or that waits for `answer` when none is given. */
export function checkFixture(...statuses: number[]): CheckFixture {
  const read = readRuntimeConfig({ checks });
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const clock = createVirtualClock(1_000_000);
  const seconds = (): number => (clock.now() - 1_000_000) / 1000;
  const asked: string[] = [];
  const options: GetOptions[] = [];
  const results: string[] = [];
  const waiting: ((answer: GetAnswer) => void)[] = [];
  const running = createChecks<string>({
    config: read.config,
    clock,
    get: async (url, given) => {
      options.push(given);
      asked.push(`${seconds()} ${url}`);
      const status = statuses[asked.length - 1];
      return status === undefined ? new Promise((resolve) => waiting.push(resolve)) : { status, body: '' };
    },
    onResult: (key, result) => {
      expect(running.resultOf(key)).toBe(result);
      expect(result.at).toBe(clock.now());
      results.push(`${seconds()} ${key} ${result.is} ${result.message}`);
    },
  });
  return { clock, checks: running, asked, options, results, answer: (index, got) => waiting[index]?.(got) };
}

export function wanting(use: string, rest: Partial<CheckRequest> = {}): CheckRequest {
  return { digest: 'h1:a', step: 'check', use, args: {}, namespace: 'shop', ...rest };
}
