import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { inSubset } from '../../../semantics/workloadspread/inject.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { spreadPods } from '../../../semantics/workloadspread/influence.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { normalizeSpread } from '../../../semantics/workloadspread/normalize.ts';
import { inZone, madeIn, NOW, ownerOf, podIn, spreadOf } from './spreads.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** A pod with this spec in a subset with these fields. */
function made(subset: JsonObject, spec: JsonObject = {}) {
  const spread = spreadOf({}, { subsets: [{ name: 'a', ...subset }] });
  const [first] = normalizeSpread(spread).subsets;
  if (first === undefined) throw new Error('no subset');
  const pod = podIn('web-1');
  return inSubset(spread, first, ownerOf(1), { ...pod, spec: { ...pod.spec, ...spec } }) as ReturnType<
    typeof podIn
  >;
}

describe('a pod in a subset (OpenKruise workloadspread, rule 6.3)', () => {
  it('WS-1: the required term is the only one, and the annotation has name and subset', () => {
    const { metadata, spec } = made({ requiredNodeSelector: inZone('a') });
    expect(spec['affinity']).toEqual({ nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [inZone('a')] } } });
    expect(metadata.annotations).toEqual({
      'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"a"}',
    });
  });

  it('WS-32: each of two required terms is narrowed', () => {
    const affinity = {
      nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [inZone('x'), { matchFields: [] }] } },
    };
    const { spec } = made({ requiredNodeSelector: inZone('a') }, { affinity });
    const { matchExpressions } = inZone('a') as { matchExpressions: JsonObject[] };
    expect(spec['affinity']).toEqual({
      nodeAffinity: {
        [REQUIRED]: {
          nodeSelectorTerms: [
            { matchExpressions: [...(inZone('x')['matchExpressions'] as JsonObject[]), ...matchExpressions] },
            { matchFields: [], matchExpressions },
          ],
        },
      },
    });
  });

  it('preferred terms and tolerations are added, whatever the version calls them', () => {
    const preferred = [{ weight: 5, preference: inZone('a') }];
    const tolerations = [{ key: 'spot', operator: 'Exists' }];
    const own = { tolerations: [{ key: 'own', operator: 'Exists' }] };
    for (const field of ['preferredNodeSelector', 'preferredNodeSelectorTerms']) {
      const { spec } = made({ [field]: preferred, tolerations }, own);
      expect(spec['affinity']).toEqual({ nodeAffinity: { [PREFERRED]: preferred } });
      expect(spec['tolerations']).toEqual([...own.tolerations, ...tolerations]);
    }
  });

  it('a subset without a term leaves an empty affinity', () => {
    expect(made({}).spec['affinity']).toEqual({ nodeAffinity: {} });
  });

  it('the patch merges containers by name, and labels', () => {
    const env = [{ name: 'ZONE', value: 'a' }];
    const patch = {
      metadata: { labels: { zone: 'a' }, annotations: { note: 'x' } },
      spec: { containers: [{ name: 'main', env }] },
    };
    const { metadata, spec } = made({ patch });
    expect(metadata.labels).toEqual({ app: 'web', zone: 'a' });
    expect(metadata.annotations?.['note']).toBe('x');
    expect(spec.containers).toEqual([{ name: 'main', image: 'web:1', env }]);
  });

  it('WS-33: another priority class leaves no priority of the template', () => {
    const { spec } = made({ patch: { spec: { priorityClassName: 'low' } } }, { priority: 7 });
    expect([spec['priorityClassName'], spec['priority']]).toEqual(['low', undefined]);
  });

  it.each<[string, JsonObject]>([
    ['by which its owner would lose the pod', { metadata: { labels: { app: 'other' } } }],
    ['that does not fit', { spec: { containers: [{ image: 'x' }] } }],
  ])('a patch %s is left out, and the rest stays', (_what, patch) => {
    const { metadata, spec } = made({ patch, requiredNodeSelector: inZone('a') });
    expect(metadata.labels).toEqual({ app: 'web' });
    expect(spec.containers).toEqual([{ name: 'main', image: 'web:1' }]);
    expect(spec['affinity']).toBeDefined();
  });

  it('a patch by which the filter would not select the pod any more is left out, so that the cap holds', () => {
    const selector = { matchExpressions: [{ key: 'place', operator: 'DoesNotExist' }] };
    const subsets: JsonObject[] = [
      { name: 'a', maxReplicas: 1, patch: { metadata: { labels: { place: 'a' } } } },
      { name: 'b' },
    ];
    const spread = spreadOf({}, { targetFilter: { selector }, subsets });
    const present: Pod[] = [];
    // One after the other, as each decision sees the pods of those before.
    for (const name of ['web-1', 'web-2', 'web-3']) {
      const asked = { pods: present, nodes: undefined };
      present.push(...(madeIn(spreadPods(spread, ownerOf(3), [podIn(name)], NOW, asked)) as Pod[]));
    }
    expect(present.map((pod) => matchedOf(pod)?.subset)).toEqual(['a', 'b', 'b']);
  });
});
