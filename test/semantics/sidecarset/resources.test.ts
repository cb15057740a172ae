import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { amountOf, evaluate, type Value } from '../../../semantics/sidecarset/expression.ts';
import { formatQuantity, parseQuantity } from '../../../semantics/values/quantity.ts';
import { valueOf } from '../../../semantics/sidecarset/expression.ts';
import { containerIn, injectedPod, injection, nginx, podOf, setOf, sidecar } from './model.ts';

/** The result of an expression over cpu, as text. */
function resultOf(text: string, cpu: string | number = 1): string {
  const amount = typeof cpu === 'string' ? parseQuantity(cpu) : undefined;
  const variable: Value = amount === undefined ? { number: Number(cpu) } : valueOf(amount);
  const result = evaluate(text, 'cpu', variable);
  return 'problem' in result ? result.problem : formatQuantity(amountOf(result.value, 'DecimalSI'));
}

describe('expressions (OpenKruise sidecarset, 6.6.5)', () => {
  test.each<[text: string, cpu: string | number, result: string]>([
    ['max(cpu*50%, 50m)', '600m', '300m'],
    ['MAX(CPU*50%, 50m)', '60m', '50m'],
    ['min(cpu, 1)', '600m', '600m'],
    ['100m', '1', '100m'],
    ['3', '1', '3'],
    ['.5', '1', '500m'],
    ['1e3', '1', '1k'],
    ['2 + 3 * 2', '1', '8'],
    ['(2 + 3) * 2', '1', '10'],
    ['10 - 3 - 2', '1', '5'],
    ['-cpu + 2', '500m', '1500m'],
    ['cpu + 0.5', '500m', '1'],
    ['cpu / 3', '100m', '33m'],
    ['cpu - 2', 1, 'its result is negative'],
    ['cpu*cpu', '1', 'it multiplies an amount with an amount'],
    ['cpu*cpu', 1, '1'],
    ['1/cpu', '1', 'it divides by an amount'],
    ['cpu/0', '1', 'it divides by zero'],
    ['memory', '1', 'it names memory, where only cpu has a value'],
    ['100MB', '1', '100MB is no amount'],
    ['1Ei', '1', '1Ei is no amount'],
    ['', '1', 'it is empty'],
    ['cpu cpu', '1', 'it goes on after its end'],
    ['(cpu', '1', 'it lacks ")"'],
    ['max(cpu)', '1', 'it lacks ","'],
    ['cpu +', '1', 'it ends too early'],
    ['cpu + * 2', '1', '"*" is at a wrong place'],
    ['cpu ^ 2', '1', '"^" has no meaning in it'],
    [`${'('.repeat(60)}1`, '1', 'it is nested more than 50 deep'],
    [`1${' '.repeat(1000)}`, '1', 'it has more than 1000 characters'],
    ['1e300 * 1e300', '1', 'its result is too large'],
  ])('%s of %s', (text, cpu, result) => {
    expect(resultOf(text, cpu)).toBe(result);
  });
});

describe('resources that follow from those of the pod (OpenKruise sidecarset, 6.6)', () => {
  const resourcesOf = (
    targets: readonly JsonObject[],
    mode: string,
    expressions: JsonObject,
    pattern = '.*',
  ): unknown => {
    const set = setOf('s', {
      containers: [
        sidecar('s', {
          resourcesPolicy: {
            targetContainersMode: mode,
            targetContainersNameRegex: pattern,
            resourcesExpr: expressions,
          },
        }),
      ],
    });
    const containers = targets.map((resources, n) => nginx({ name: `app-${n}`, resources }));
    const result = injection([set], { pod: podOf({ containers }) });
    return 'refused' in result ? result.refused : containerIn(result.pod, 's')['resources'];
  };
  const limits = (name: string, ...amounts: (string | undefined)[]): JsonObject[] =>
    amounts.map((each): JsonObject => (each === undefined ? {} : { limits: { [name]: each } }));
  const requests = (name: string, ...amounts: string[]): JsonObject[] =>
    amounts.map((each) => ({ requests: { [name]: each } }));
  const half = 'max(cpu*50%, 50m)';

  test.each<[what: string, targets: JsonObject[], mode: string, expressions: JsonObject, result: JsonObject]>(
    [
      [
        'the sum',
        limits('cpu', '200m', '400m'),
        'sum',
        { limits: { cpu: half } },
        { limits: { cpu: '300m' } },
      ],
      [
        'the maximum',
        limits('cpu', '200m', '400m'),
        'max',
        { limits: { cpu: half } },
        { limits: { cpu: '200m' } },
      ],
      [
        'a target without limit (SS-21)',
        limits('cpu', '200m', undefined),
        'sum',
        { limits: { cpu: half } },
        {},
      ],
      ['also of a constant', limits('cpu', '200m', undefined), 'max', { limits: { cpu: '100m' } }, {}],
      [
        'requests, maximum',
        requests('cpu', '50m', '100m'),
        'max',
        { requests: { cpu: half } },
        { requests: { cpu: '50m' } },
      ],
      [
        'memory',
        requests('memory', '400Mi', '600Mi'),
        'sum',
        { requests: { memory: 'memory*15%' } },
        { requests: { memory: '150Mi' } },
      ],
      ['no requests', [{}], 'sum', { requests: { cpu: 'cpu*50%' } }, { requests: { cpu: '0' } }],
      ['an empty expression', limits('cpu', '1'), 'sum', { limits: { cpu: '', memory: '' } }, {}],
    ],
  )('%s', (_what, targets, mode, expressions, result) => {
    expect(resourcesOf(targets, mode, expressions)).toEqual(result);
  });

  test('a pattern matches part of a name', () => {
    expect(resourcesOf(limits('cpu', '1', '2'), 'sum', { limits: { cpu: 'cpu' } }, '1$')).toEqual({
      limits: { cpu: '2' },
    });
  });

  test('a pattern that matches nothing refuses the pod (SS-22)', () => {
    expect(resourcesOf([{}], 'sum', { limits: { cpu: 'cpu' } }, '^x$')).toBe(
      'SidecarSet s cannot be injected: container s gets no resources: no other container of the pod has a name like ^x$',
    );
  });

  test('a negative result refuses the pod', () => {
    expect(resourcesOf(limits('cpu', '1'), 'sum', { limits: { cpu: 'cpu-2' } })).toContain(
      'the expression cpu-2 of limits.cpu: its result is negative',
    );
  });

  test('native sidecars of the pod count, containers of sets do not', () => {
    const policy = {
      targetContainersMode: 'sum',
      resourcesExpr: { limits: { cpu: 'cpu' } },
    };
    const set = setOf('s', { containers: [sidecar('s', { resourcesPolicy: policy }), sidecar('other')] });
    const amounts = { resources: { limits: { cpu: '1' } } };
    // A template in git may have the containers of the set already.
    const env = [{ name: 'IS_INJECTED', value: 'true' }];
    const pod = podOf({
      initContainers: [
        { name: 'once', ...amounts },
        { name: 'native', restartPolicy: 'Always', ...amounts },
      ],
      containers: [nginx(amounts), { name: 'other', env, ...amounts }],
    });
    expect(containerIn(injectedPod([set], { pod }), 's')['resources']).toEqual({ limits: { cpu: '2' } });
  });
});
