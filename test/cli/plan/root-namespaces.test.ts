import { expect, test } from 'vitest';
import { sidecarSet } from '../../compiler/world/injector-cases.ts';
import { type Clone, repositoryWith } from '../git/clone.ts';

const SHOP = '  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}';

/** The set of a team whose root is for one namespace, beside a root for all. */
function team(): Clone {
  return repositoryWith({
    'kruise.yaml':
      'roots:\n- {name: shop, path: shop, namespaces: [shop]}\n- {name: platform, path: platform}\n',
    'shop/set.yaml': sidecarSet({ spec: SHOP }),
    'platform/set.yaml': sidecarSet({ name: 'log', container: 'name: log, image: "log:1"' }),
  });
}

test('a set of a team that selects the namespaces of others gets no plan (KR2198)', async () => {
  const clone = team();
  clone.write({ 'shop/set.yaml': sidecarSet({ container: 'name: mesh, image: "mesh:2"' }) });
  const ran = await clone.kruise(['plan']);
  expect(ran.code).toBe(1);
  expect(ran.err).toContain(
    'error[KR2198]: SidecarSet mesh selects pods of every namespace, and its root is for the namespace shop only\n  --> shop/set.yaml:5:1\n',
  );
  expect(ran.err).toContain(
    'help: name this namespace in it, move it to another root, or extend the list namespaces of this root in kruise.yaml\n',
  );
  clone.write({ 'shop/set.yaml': sidecarSet({ container: 'name: mesh, image: "mesh:2"', spec: SHOP }) });
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
});

test('kruise explain shows it, too, and nothing of a plan', async () => {
  const clone = team();
  expect(await clone.kruise(['explain', 'sidecarset/mesh'])).toMatchObject({ code: 0, err: '' });
  clone.write({ 'shop/set.yaml': sidecarSet() });
  const ran = await clone.kruise(['explain', 'sidecarset/mesh']);
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain(
    'error[KR2198]: SidecarSet mesh selects pods of every namespace, and its root is for the namespace shop only\n  --> shop/set.yaml:5:1\n',
  );
});

test('what base has beyond its root is no error once head is within it', async () => {
  const clone = team();
  clone.commit('beyond', { 'shop/set.yaml': sidecarSet() });
  clone.git('checkout', '--quiet', '-b', 'next');
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 1 });
  clone.write({ 'shop/set.yaml': sidecarSet({ spec: SHOP }) });
  expect(await clone.kruise(['plan'])).toMatchObject({ code: 0 });
});
