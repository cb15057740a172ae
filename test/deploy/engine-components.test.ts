import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findKubectl } from '../../examples/demo/kubectl-binary.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { printed } from './helm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kubectl = findKubectl();
const folder = mkdtempSync(join(tmpdir(), 'engines-'));
beforeAll(() => cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

/** What kustomize makes of these resources, as an engine's kustomization with these components. */
function built(resources: Readonly<Record<string, string>>, components: readonly string[]): KubeObject[] {
  for (const [name, text] of Object.entries(resources)) writeFileSync(join(folder, name), text);
  const own = { resources: Object.keys(resources), components };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(own));
  return objectsIn(printed(kubectl ?? '', ['kustomize', folder]));
}

const objectsIn = (text: string): KubeObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubeObject);

const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { theirs: 'stays' } });

describe.skipIf(kubectl === undefined)('the kustomization of an engine', () => {
  test('adds keys to the ConfigMaps of Argo CD, and leaves what is there', () => {
    const names = ['argocd-cm', 'argocd-notifications-cm'];
    const files = Object.fromEntries(names.map((name) => [`${name}.yaml`, configMap(name)]));
    const made = built(files, ['deploy/argocd', 'deploy/argocd/notifications']);
    expect(made.map(({ metadata }) => metadata.name).sort()).toEqual(names);
    const keys = made.map(({ data }) => Object.keys(data as object));
    expect(keys.every((each) => each.includes('theirs'))).toBe(true);
    expect(keys.flat()).toEqual(
      expect.arrayContaining([
        'resource.customizations.health.plan.kruise.io_RolloutPlan',
        'resource.customizations.actions.plan.kruise.io_RolloutPlan',
        'trigger.rollout-waits',
      ]),
    );
  });

  test('gives the checks of Flux to a sample that waits, and to no other', () => {
    const sample = (name: string): string =>
      readFileSync(join(root, `deploy/flux/samples/${name}.yaml`), 'utf8');
    const checksOf = (text: string): unknown[] =>
      built({ 'sync.yaml': text }, ['deploy/flux'])
        .filter(({ kind }) => kind === 'Kustomization')
        .map(({ spec }) => {
          const { wait, healthCheckExprs, path } = spec as Record<string, unknown>;
          return [path, wait, Array.isArray(healthCheckExprs)];
        });
    expect(checksOf(sample('sync-and-wait'))).toEqual([['./', true, true]]);
    expect(checksOf(sample('sync'))).toEqual([['./', undefined, false]]);
  });
});
