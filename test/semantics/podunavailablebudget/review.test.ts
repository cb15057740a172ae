import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { PodRequest } from '../../../semantics/kinds/admission.ts';
import { budgetReview } from '../../../semantics/podunavailablebudget/review.ts';
import { listOf, objectOf } from '../../../semantics/values/read.ts';
import { budgetRequests, type BudgetRequest } from '../../deploy/budget-requests.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1);
const AT = '2026-01-01T00:00:00Z';

/** An object as a server would store it. */
const stored = (object: KubeObject): KubeObject =>
  merged(merged({}, object as unknown as JsonObject), {
    metadata: { namespace: 'shop', generation: 1, creationTimestamp: AT, uid: object.metadata.name },
  }) as unknown as KubeObject;

/** A merge patch, by which containers are merged by name. */
function merged(target: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...objectOf(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (key === 'containers' && result[key] !== undefined) {
      const changes = new Map(listOf(value).map((each) => [each['name'], each]));
      result[key] = listOf(result[key]).map((each) => merged(each, changes.get(each['name']) ?? {}));
    } else
      result[key] = typeof value === 'object' && !Array.isArray(value) ? merged(result[key], value) : value;
  }
  return result as JsonObject;
}

function requestOf({ pod, request }: Pick<BudgetRequest, 'pod' | 'request'>): PodRequest {
  const before = stored(pod);
  if (request === 'DELETE') return { operation: 'DELETE', pod: before };
  const after = merged(before, request.patch) as unknown as KubeObject;
  return { operation: request.subresource === 'resize' ? 'RESIZE' : 'UPDATE', pod: before, after };
}

/** Who asks is not for a kind to judge, and a policy cannot look up the owners of a pod. */
const cases = budgetRequests.filter(
  ({ as, budget }) => as === undefined && objectOf(budget['spec'])['targetRef'] === undefined,
);

describe('a review refuses what the policy refuses', () => {
  test.each(cases)('$title', (each) => {
    const { pod, refusal } = each;
    const verdict = budgetReview.review(stored(each.budget), requestOf(each), NOW);
    if (refusal === undefined) expect(verdict.is).not.toBe('refused');
    else
      expect(verdict).toEqual({ is: 'refused', message: `it protects pod ${pod.metadata.name}${refusal}` });
  });
});

describe('a review takes a slot', () => {
  const [{ budget, pod }] = cases as [BudgetRequest];
  const left = (status: JsonObject): KubeObject =>
    merged(stored(budget), { status }) as unknown as KubeObject;
  const { name } = pod.metadata;
  const at = '2026-01-01T00:01:00Z';
  const image = { patch: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } };

  test.each<[string, PodRequest, JsonObject, unknown]>([
    [
      'PUB-14: of a deletion',
      requestOf({ pod, request: 'DELETE' }),
      { unavailableAllowed: 2 },
      {
        is: 'recorded',
        status: { unavailableAllowed: 1, currentAvailable: 0, disruptedPods: { [name]: at } },
      },
    ],
    [
      'of an eviction',
      { operation: 'EVICT', pod: stored(pod) },
      { unavailableAllowed: 1 },
      {
        is: 'recorded',
        status: { unavailableAllowed: 0, currentAvailable: 0, disruptedPods: { [name]: at } },
      },
    ],
    [
      'PUB-17: of another image',
      requestOf({ pod, request: image }),
      { unavailableAllowed: 1 },
      {
        is: 'recorded',
        status: { unavailableAllowed: 0, currentAvailable: 0, unavailablePods: { [name]: at } },
      },
    ],
    [
      'PUB-15: not twice',
      requestOf({ pod, request: 'DELETE' }),
      { unavailableAllowed: 0, disruptedPods: { [name]: '2026-01-01T00:00:55Z' } },
      { is: 'allowed' },
    ],
    [
      'an entry is not renewed before it ends: what something else refuses would have it for ever',
      requestOf({ pod, request: 'DELETE' }),
      { unavailableAllowed: 3, disruptedPods: { [name]: '2026-01-01T00:00:45Z' } },
      {
        is: 'refused',
        message: `it protects pod ${name}: its slot ends in 5s, and can be taken again then`,
      },
    ],
    [
      'again, without another one, where its entry is over and nobody has removed it',
      requestOf({ pod, request: 'DELETE' }),
      { unavailableAllowed: 0, disruptedPods: { [name]: '2026-01-01T00:00:40Z' } },
      {
        is: 'recorded',
        status: { unavailableAllowed: 0, currentAvailable: 1, disruptedPods: { [name]: at } },
      },
    ],
    [
      'PUB-32: unless there are too many entries',
      requestOf({ pod, request: 'DELETE' }),
      {
        unavailableAllowed: 9,
        disruptedPods: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`web-${n}`, at])),
      },
      expect.objectContaining({ is: 'refused' }) as unknown,
    ],
  ])('%s', (_, request, status, expected) => {
    expect(budgetReview.review(left(status), request, NOW)).toEqual(expected);
  });
});
