import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Kind, planRulesOf } from '../../semantics/kinds/kind.ts';
import type { SelectedMark } from '../../semantics/kinds/need.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { root } from './cluster.ts';

test('the roles and policies are those of the registered kinds', () => {
  for (const [path, text] of deployOutputs(kinds, crds))
    expect([path, readFileSync(join(root, path), 'utf8')]).toEqual([path, text]);
});

const [first] = kinds as readonly [Kind];
const kind = (name: string, plural: string, namespaced: boolean, uses: Kind['uses']): Kind => {
  const id = { group: 'test.example', kind: name };
  return { ...first, id, resource: { ...id, version: 'v1', plural, namespaced }, uses };
};

test('a kind in a namespace and one in none take the rights that they use', () => {
  const more = [
    kind('Shelf', 'shelves', true, [{ of: 'OwnedPods' }]),
    kind('Room', 'rooms', false, [
      { of: 'SelectedPods' },
      { of: 'Disruption' },
      { of: 'Nodes', why: 'Placement' },
    ]),
  ];
  const inNamespaces = kinds.filter(({ resource }) => resource.namespaced);
  const [before, after] = [
    deployOutputs(inNamespaces, crds),
    deployOutputs([...inNamespaces, ...more], crds),
  ];
  const planned = inNamespaces.filter((each) => planRulesOf(each) !== undefined);
  const groups = [...new Set(planned.map(({ id }) => id.group))];
  const inGroup = (group: string): string[] =>
    planned.flatMap(({ id }) => (id.group === group ? [`'${id.kind}'`] : []));
  const lines = (path: string) => {
    const known = new Set(before.get(path)?.split('\n'));
    return after
      .get(path)
      ?.split('\n')
      .filter((line) => !known.has(line));
  };
  expect(lines('deploy/rbac/runtime.yaml')).toEqual([
    '  - apiGroups: [test.example]',
    '    resources: [shelves]',
    '  - apiGroups: [test.example]',
    '    resources: [shelves/status]',
    '  - apiGroups: [test.example]',
    '    resources: [rooms]',
    '  - apiGroups: [test.example]',
    '    resources: [rooms/status]',
    '    resources: [clusterrolloutplans]',
    '    resources: [clusterrolloutplans/status]',
    '    resources: [clusterrolloutcommands]',
    '    resources: [clusterrolloutcommands/status]',
    '      - clusterrolloutcommands.plan.kruise.io',
    '      - clusterrolloutplans.plan.kruise.io',
    '      - rooms.test.example',
    '      - shelves.test.example',
  ]);
  // What is in no namespace cannot be reached by a Role.
  expect(lines('deploy/overlays/namespaced/role.yaml')).toEqual([
    '  - apiGroups: [test.example]',
    '    resources: [shelves]',
    '  - apiGroups: [test.example]',
    '    resources: [shelves/status]',
  ]);
  for (const text of after.values())
    for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([]);
  const roles = parseAllDocuments(after.get('deploy/rbac/people.yaml') ?? '').map(
    (document) => document.toJS() as KubeObject,
  );
  expect(roles.map(({ metadata }) => metadata.name)).toEqual([
    'kruise-viewer',
    'kruise-editor',
    'kruise-plan-writer',
    'kruise-approver',
    'kruise-break-glass',
    'kruise-cluster-editor',
    'kruise-cluster-plan-writer',
    'kruise-cluster-approver',
    'kruise-cluster-break-glass',
  ]);
  expect(after.get('deploy/policy/revisions.yaml')).toContain(
    `(${groups.map((group) => `(owner.apiVersion.startsWith('${group}/') && owner.kind in [${inGroup(group).join(', ')}])`).join(' || ')} || (owner.apiVersion.startsWith('test.example/') && owner.kind in ['Shelf', 'Room']))`,
  );
});

test('a kind without plans is the target of no command and owns no revision', () => {
  const standing = kinds.filter((each) => planRulesOf(each) === undefined).map(({ id }) => id.kind);
  expect(standing).toContain('PodUnavailableBudget');
  const outputs = deployOutputs(kinds, crds);
  for (const name of standing) {
    expect(outputs.get('deploy/policy/commands.yaml')).not.toContain(name);
    expect(outputs.get('deploy/policy/revisions.yaml')).not.toContain(name);
    // Its Events are written, no order of launches is owned by it, and no revision.
    expect(outputs.get('deploy/policy/runtime.yaml')).toContain(name);
    expect(outputs.get('deploy/policy/runtime.yaml')).not.toMatch(
      new RegExp(`(controllerrevisions|barrier)[^|]*owner.kind in \\[[^\\]]*'${name}'`),
    );
  }
});

test('the runtime may change pods of others only with the mark of a kind that selects them', () => {
  const policyOf = (uses: Kind['uses']): string =>
    deployOutputs([kind('Room', 'rooms', false, uses)], crds).get('deploy/policy/runtime.yaml') ?? '';
  const clause = "exists(key, key in ['test.example/in-room'])";
  expect(policyOf([{ of: 'SelectedPods' }])).not.toContain('exists(key, key in [');
  const mark: SelectedMark = {
    of: 'containers',
    annotation: 'test.example/in-room',
    variable: 'IN_ROOM',
    records: ['test.example/room'],
    prefixes: [],
    conditions: ['Furnished'],
  };
  const policy = policyOf([{ of: 'SelectedPods', mark }]);
  expect(policy).toContain(clause);
  expect(policy).toContain("variable.name in ['IN_ROOM']");
  expect(policy).toContain("each.type in ['Furnished']");
});

test('a kind that marks pods of others by annotations may change nothing else there', () => {
  const mark: SelectedMark = { of: 'annotations', records: ['test.example/room'] };
  const text =
    deployOutputs([kind('Room', 'rooms', false, [{ of: 'SelectedPods', mark }])], crds).get(
      'deploy/policy/runtime.yaml',
    ) ?? '';
  const [policy] = parseAllDocuments(text).map(
    (document) => document.toJS() as { spec: { variables: { name: string; expression: string }[] } },
  );
  const { expression } = policy?.spec.variables.find(({ name }) => name === 'isSelected') ?? {};
  expect(expression?.split(' && ').slice(0, 4)).toEqual([
    "request.resource.resource == 'pods'",
    "request.?subResource.orValue('') == ''",
    "request.operation == 'UPDATE'",
    'object.spec == oldObject.spec',
  ]);
  expect(expression).toContain("key in ['test.example/room'] ||");
  expect(expression).not.toContain('variable.name');
});

test('the runtime may write claims without controller only for a kind whose claims outlive it', () => {
  const policyOf = (uses: Kind['uses']): string => {
    const text = deployOutputs([kind('Shelf', 'shelves', true, uses)], crds).get(
      'deploy/policy/runtime.yaml',
    );
    const [policy] = parseAllDocuments(text ?? '').map((document) => JSON.stringify(document.toJS()));
    return policy ?? '';
  };
  const clause = "request.resource.resource == 'persistentvolumeclaims' && request.operation != 'DELETE'";
  expect(policyOf([{ of: 'Claims', label: undefined }])).not.toContain(clause);
  expect(policyOf([{ of: 'Claims', label: undefined, isUnowned: true }])).toContain(clause);
});
