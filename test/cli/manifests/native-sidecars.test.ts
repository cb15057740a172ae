import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { kruise } from '../../compiler/world/manifests.ts';

const set = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {app: web}}
  initContainers: [{name: setup, image: "setup:1"}]
  containers:
  - {name: mesh, image: "mesh:1", podInjectPolicy: AfterAppContainer, shareVolumePolicy: {type: enabled}}
  updateStrategy: {type: RollingUpdate}
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}], initContainers: [{name: own, image: "own:1"}]}
`;
const NATIVE = 'build: [{match: {kind: SidecarSet}, as: NativeSidecars}]\n';

async function build(
  text: string,
  { args = ['--sidecars'], config = NATIVE }: { args?: string[]; config?: string } = {},
) {
  const files = { 'apps/a.yaml': text, 'apps/kruise.yaml': config };
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  return { code, err: host.err, out: host.out };
}

describe('a SidecarSet that kruise.yaml chooses for native sidecars', () => {
  test('is written so into templates and into its own manifest, and that builds to itself', async () => {
    const { code, err, out } = await build(`${set}---\n${deployment}`);
    expect(code).toBe(0);
    expect(err).toContain(
      'SidecarSet mesh is native sidecars; lost: updates of running pods: a changed image changes the templates, so that pods are created anew; init containers of the set with later names:',
    );
    const [own, owner] = parseAllDocuments(out).map((each) => each.toJS() as KubeObject);
    expect(own).toMatchObject({
      spec: {
        initContainers: [{ name: 'setup' }, { name: 'mesh', restartPolicy: 'Always' }],
        updateStrategy: { type: 'NotUpdate' },
      },
    });
    expect(own).not.toHaveProperty('spec.containers');
    expect(owner).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [{ name: 'web' }],
            initContainers: [{ name: 'own' }, { name: 'mesh', restartPolicy: 'Always' }, { name: 'setup' }],
          },
        },
      },
    });
    for (const config of [NATIVE, '']) expect((await build(out, { config })).out).toBe(out);
  });

  test('is left alone where another rule comes first, or none matches', async () => {
    const plain = await build(deployment + `---\n${set}`, { config: '' });
    for (const config of [
      'build: [{match: {name: mesh}, as: Kubernetes}, {match: {}, as: NativeSidecars}]\n',
      'build: [{match: {name: other}, as: NativeSidecars}]\n',
    ])
      expect((await build(deployment + `---\n${set}`, { config })).out).toBe(plain.out);
  });

  test('stays one of containers with a hot pair, and says so', async () => {
    const hot = set.replace(
      'podInjectPolicy: AfterAppContainer',
      'upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: "empty:1"}',
    );
    const { err, out, code } = await build(`${hot}---\n${deployment}`);
    expect(code).toBe(0);
    expect(err).toContain('warning[KR2241]: SidecarSet mesh stays as it is: upgradeType HotUpgrade:');
    expect(out).toMatch(/name: mesh-1/);
  });

  test('is no warning of a build to kinds of Kubernetes', async () => {
    const { err } = await build(set, { args: [] });
    expect(err).not.toContain('warning');
  });
});
