import { expect, test } from 'vitest';
import { simulatePlan } from '../../compiler/forecast/simulate.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { sidecarSetGit } from '../../semantics/sidecarset/git.ts';
import { templateHash } from '../../semantics/template/canonical.ts';

function setWith(image: string, fields: JsonObject): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name: 'mesh' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      containers: [
        { name: 'mesh', image, ...fields },
        { name: 'log', image: 'log:1' },
      ],
      updateStrategy: { maxUnavailable: 2 },
    },
  };
}

function simulated(fields: JsonObject) {
  const [before, after] = ['mesh:1', 'mesh:2'].map((image) => {
    const set = setWith(image, fields);
    return { set, template: sidecarSetGit.read(set).template };
  });
  if (before === undefined || after === undefined) throw new Error('two states');
  return simulatePlan({
    target: after.set,
    from: before.template,
    retainedBefore: 0,
    replicas: 6,
    plan: {
      format: '1',
      semantics: '1',
      digest: 'h1:0',
      target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', name: 'mesh' },
      to: { hash: templateHash(after.template), bound: { partition: 0 } },
      from: [{ hash: templateHash(before.template), mode: 'InPlace' }],
      steps: [
        { id: 'canary', update: { to: 1 } },
        { id: 'all', update: { to: '100%' } },
      ],
    },
  });
}

test('the forecast of a hot upgrade has the rounds of an ordinary one: both halves of it are one update', () => {
  const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
  const hot = simulated({ upgradeStrategy });
  expect(hot).toMatchObject({ finished: true, lowestAvailable: 4 });
  expect(hot).toEqual(simulated({}));
});
