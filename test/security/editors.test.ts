import { resources } from '../../schemas/wire/resources.ts';
import { exemptNamespaces } from '../../semantics/values/system-namespaces.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { UserInfo } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { shippedWorld } from './shipped.ts';

const editor: UserInfo = { name: 'eve', groups: ['system:authenticated'] };
const keeper: UserInfo = { name: 'mona', groups: ['system:authenticated'] };
const VERBS = ['create', 'update', 'patch', 'delete'];

test('who may edit the workloads of every namespace writes nothing cluster-scoped', () => {
  const { world, bind } = shippedWorld();
  bind('kruise-editor', editor);
  bind('kruise-cluster-editor', keeper);
  const may = (user: UserInfo): string[] =>
    kinds.flatMap(({ id, resource: { group, plural } }) =>
      VERBS.every(
        (verb) =>
          world.server.authorizer.authorize(user, {
            verb,
            group,
            resource: plural,
            subresource: '',
            namespace: '',
            name: 'x',
          }).allowed,
      )
        ? [id.kind]
        : [],
    );
  const kindsOf = (namespaced: boolean): string[] =>
    kinds.filter(({ resource }) => resource.namespaced === namespaced).map(({ id }) => id.kind);
  expect(may(editor)).toEqual(kindsOf(true));
  expect(may(keeper)).toEqual(kindsOf(false));
  world.stop();
});

test('no set adds to pods where plans are written from', () => {
  expect(exemptNamespaces(['kruise-system'])).toEqual([
    'kube-system',
    'argocd',
    'flux-system',
    'kruise-system',
  ]);
  expect(resources.SidecarSet.namespaced).toBe(false);
});
