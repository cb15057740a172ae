import { describe, expect, test } from 'vitest';
import { type CloneSetParts, cloneSet, kruise } from './world/manifests.ts';

const forecastPath = '/repo/head/plans/shop/cloneset-web/forecast.md';
const v2 = { image: 'nginx:2' };

describe('order and pace, on the terminal and in forecast.md', () => {
  test.each<[string, CloneSetParts, CloneSetParts, string[], string[]]>([
    [
      'a grace period, and time until a pod counts',
      {},
      {
        ...v2,
        spec: '    inPlaceUpdateStrategy: {gracePeriodSeconds: 30}\n    maxUnavailable: 2\n  minReadySeconds: 10',
      },
      ['Each pod is out of traffic for 30s before its containers change. The updates take at least 3m20s.'],
      [],
    ],
    [
      'time until a pod counts, recreated: nothing changes in place',
      {},
      {
        container: '        workingDir: /tmp',
        spec: '    inPlaceUpdateStrategy: {gracePeriodSeconds: 30}\n  minReadySeconds: 10',
      },
      ['The updates take at least 50s.'],
      ['out of traffic for'],
    ],
    [
      'a continuation: pods that have the change already take no time',
      { type: 'ReCreate', spec: '    partition: 5\n  minReadySeconds: 10' },
      { type: 'ReCreate', spec: '    partition: 0\n  minReadySeconds: 10' },
      ['The updates take at least 30s.'],
      [],
    ],
    [
      'an order by a label, and a spread',
      {},
      {
        ...v2,
        spec: '    priorityStrategy: {orderPriority: [{orderedKey: wave}]}\n    scatterStrategy: [{key: zone, value: a}]',
      },
      [
        'Pods are updated in this order: pods without the label wave first, then by its highest number; pods labeled zone=a spread among the others; then pods that are not ready.',
      ],
      [],
    ],
    [
      'an order by weight',
      {},
      {
        ...v2,
        spec: '    priorityStrategy: {weightPriority: [{weight: 20, matchSelector: {matchLabels: {a: b}}}, {weight: 50, matchSelector: {matchLabels: {c: d}}}]}',
      },
      ['Pods are updated in this order: highest weight first .weightPriority 50, 20.; then pods'],
      [],
    ],
    ['no order of its own', {}, v2, [], ['in this order', 'take at least']],
  ])('%s', async (_, base, head, present, absent) => {
    const { host } = await kruise({ 'base/web.yaml': cloneSet(base), 'head/web.yaml': cloneSet(head) });
    for (const text of [host.out, String(host.files.get(forecastPath))]) {
      for (const part of present) expect(text).toMatch(new RegExp(part));
      for (const part of absent) expect(text).not.toMatch(new RegExp(part));
    }
  });
});
