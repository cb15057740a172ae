import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { childKindOf } from '../../../semantics/uniteddeployment/child-kinds.ts';
import { childContent, specPatch } from '../../../semantics/uniteddeployment/child.ts';
import { normalizeUnited } from '../../../semantics/uniteddeployment/normalize.ts';
import { subsetTemplate } from '../../../semantics/uniteddeployment/subset-template.ts';
import { inZone, podTemplate, united, type Web } from '../../runtime/united-world.ts';

const terms = (template: JsonObject): unknown => {
  const { affinity } = template['spec'] as {
    affinity?: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: unknown } };
    };
  };
  return affinity?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
};
const templateOf = (web: Web): JsonObject => {
  const { template, subsets } = normalizeUnited(united(web));
  const [first] = subsets;
  return first === undefined ? {} : subsetTemplate(template, first);
};
const expression = (key: string): JsonObject => ({ key, operator: 'Exists' });

describe('the template of a subset', () => {
  it('has both requirements in each of two alternatives (UD-16)', () => {
    const required = {
      nodeSelectorTerms: [{ matchExpressions: [expression('x')] }, { matchFields: [expression('y')] }],
    };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const template = { ...podTemplate('web:1'), spec: { containers: [], affinity } } as unknown as JsonObject;
    const nodeSelectorTerm = { matchExpressions: [expression('a'), expression('b')] };
    const both = [expression('a'), expression('b')];
    expect(terms(templateOf({ child: { template }, subsets: [{ name: 'a', nodeSelectorTerm }] }))).toEqual([
      { matchExpressions: [expression('x'), ...both] },
      { matchFields: [expression('y')], matchExpressions: both },
    ]);
  });

  it('has no affinity of fields alone (UD-17)', () => {
    const nodeSelectorTerm = { matchFields: [expression('metadata.name')] };
    expect(terms(templateOf({ subsets: [{ name: 'a', nodeSelectorTerm }] }))).toBeUndefined();
  });

  it('has its tolerations after those of the template', () => {
    const template = { ...podTemplate('web:1'), spec: { containers: [], tolerations: [{ key: 'one' }] } };
    const made = templateOf({ child: { template }, subsets: [{ name: 'a', tolerations: [{ key: 'two' }] }] });
    expect(made['spec']).toMatchObject({ tolerations: [{ key: 'one' }, { key: 'two' }] });
  });

  it('is another revision only where a patch is another', () => {
    const content = (web: Web): JsonObject => normalizeUnited(united(web)).template;
    const placed = { name: 'b', nodeSelectorTerm: inZone('b') };
    expect(content({ subsets: [{ name: 'a' }, placed] })).toEqual(content({ subsets: [{ name: 'a' }] }));
    const patch = { metadata: { labels: { tier: 'gold' } } };
    expect(content({ subsets: [{ name: 'a', patch }] })).toEqual({
      ...podTemplate('web:1'),
      patches: { a: patch },
    });
    expect(content({ subsets: [{ name: 'a', patch: {} }] })).toEqual(podTemplate('web:1'));
  });
});

describe('the child of a subset', () => {
  const strategy = (updateStrategy: JsonObject): JsonObject => {
    const parts = { subset: 'a', size: 3, partition: 2, template: podTemplate('web:1'), patch: undefined };
    const { spec } = childContent(normalizeUnited(united({ child: { updateStrategy } })), parts);
    return spec['updateStrategy'] as JsonObject;
  };

  it('has the limits of either layout, and the partition of its share (UD-42)', () => {
    const rolling = { maxUnavailable: 2, podUpdatePolicy: 'InPlaceIfPossible', partition: 2 };
    const expected = { type: 'RollingUpdate', rollingUpdate: rolling };
    expect(strategy({ type: 'InPlaceIfPossible', maxUnavailable: 2, partition: 0 })).toEqual(expected);
    expect(strategy({ rollingUpdate: { maxUnavailable: 2, podUpdatePolicy: 'InPlaceIfPossible' } })).toEqual(
      expected,
    );
  });

  const kind = childKindOf('cloneSetTemplate');

  it('is patched by what differs, with nothing that the server has added', () => {
    const wanted: JsonObject = {
      replicas: 3,
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main' }] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
    };
    const stored: JsonObject = {
      ...wanted,
      revisionHistoryLimit: 10,
      updateStrategy: {
        ...{ type: 'RollingUpdate', partition: 0, maxUnavailable: '20%', maxSurge: 0 },
        rollingUpdate: { inPlaceUpdateStrategy: {}, partition: 2 },
      },
    };
    expect(specPatch(stored, wanted, kind)).toBeUndefined();
    const labels = { app: 'web', old: 'x' };
    const now = {
      ...stored,
      minReadySeconds: 5,
      template: { ...(stored['template'] as JsonObject), metadata: { labels } },
    };
    expect(specPatch(now, wanted, kind)).toEqual({
      minReadySeconds: null,
      template: { metadata: { labels: { old: null } } },
    });
    expect(
      specPatch(
        stored,
        {
          ...wanted,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxSurge: 1 } },
        },
        kind,
      ),
    ).toEqual({
      updateStrategy: { rollingUpdate: { partition: 1, maxSurge: 1 } },
    });
  });
});
