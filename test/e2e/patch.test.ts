import { expect } from 'vitest';
import { cloneSet, configMap, deployment, pod } from './manifests.ts';
import { suite } from './suite.ts';

suite('patch', (test) => {
  test('merge, JSON and strategic merge patch of a built-in kind', async (k) => {
    await k.run('create -f -', deployment('web'));
    expect(
      await k.run(
        `patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"proxy","image":"example.com/proxy:2"}]}}}}'`,
      ),
    ).toMatchInlineSnapshot(`deployment.apps/web patched`);
    expect(
      await k.run('get deploy web -o jsonpath={.spec.template.spec.containers[*].image}'),
    ).toMatchInlineSnapshot(`example.com/web:1 example.com/proxy:2`);
    expect(
      await k.run(
        `patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"$patch":"delete","name":"proxy"}]}}}}'`,
      ),
    ).toMatchInlineSnapshot(`deployment.apps/web patched`);
    expect(
      await k.run(`patch deploy web --type=merge -p '{"spec":{"minReadySeconds":7}}'`),
    ).toMatchInlineSnapshot(`deployment.apps/web patched`);
    expect(
      await k.run(
        `patch deploy web --type=json -p '[{"op":"test","path":"/spec/minReadySeconds","value":7},{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"late","image":"example.com/late:1"}},{"op":"remove","path":"/spec/minReadySeconds"}]'`,
      ),
    ).toMatchInlineSnapshot(`deployment.apps/web patched`);
    const { spec } = await k.stored('deployments/web', 'apps/v1');
    expect(spec['minReadySeconds']).toBeUndefined();
    expect(spec).toMatchObject({
      template: { spec: { containers: [{ name: 'main' }, { name: 'late' }] } },
    });
    expect(await k.run(`patch deploy web --type=merge -p '{"spec":{"paused":true}}'`)).toMatchInlineSnapshot(
      `deployment.apps/web patched (no change)`,
    );
    expect(
      await k.run(
        `patch deploy web --type=merge -p '{"spec":{"minReadySeconds":9}}' --dry-run=server -o jsonpath={.spec.minReadySeconds}`,
      ),
    ).toMatchInlineSnapshot(`9`);
    expect((await k.stored('deployments/web', 'apps/v1')).spec['minReadySeconds']).toBeUndefined();
  });

  test('patches that are refused', async (k) => {
    await k.run('create -f -', deployment('web'));
    expect(
      await k.run(`patch deploy web --type=json -p '[{"op":"test","path":"/spec/paused","value":false}]'`),
    ).toMatchInlineSnapshot(`
      [stderr]
      The request is invalid: the server rejected our request due to an error in our request
      [exit 1]
    `);
    expect(await k.run(`patch deploy web --type=json -p '[{"op":"remove","path":"/spec/nothing"}]'`))
      .toMatchInlineSnapshot(`
        [stderr]
        The request is invalid: the server rejected our request due to an error in our request
        [exit 1]
      `);
    const wrong = await k.run(`patch deploy web --type=merge -p '{"spec":{"replicas":"many"}}'`);
    // The whole object stands in between.
    expect(wrong.replace(/"\{.*\}"/, '"OBJECT"')).toMatchInlineSnapshot(`
      [stderr]
      The request is invalid: patch: Invalid value: "OBJECT": json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32
      [exit 1]
    `);
    expect(await k.run(`patch deploy web --type=merge -p '{"spec":{"replicas":-1,"minReadySeconds":-1}}'`))
      .toMatchInlineSnapshot(`
        [stderr]
        The Deployment "web" is invalid:
        * spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0
        * spec.replicas: Invalid value: -1: must be greater than or equal to 0
        [exit 1]
      `);
    expect(await k.run(`patch deploy web --type=merge -p '{"spec":{"replica":3}}'`)).toMatchInlineSnapshot(`
      deployment.apps/web patched (no change)
      [stderr]
      Warning: unknown field "spec.replica"
    `);
    expect(await k.run(`patch deploy web --type=merge -p '{"metadata":{"resourceVersion":"1"}}'`))
      .toMatchInlineSnapshot(`
        [stderr]
        Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again
        [exit 1]
      `);
    expect(await k.run(`patch deploy web --type=merge -p '{"metadata":{"name":"other"}}'`))
      .toMatchInlineSnapshot(`
        [stderr]
        Error from server (BadRequest): the name of the object (other) does not match the name on the URL (web)
        [exit 1]
      `);
    expect(await k.run(`patch deploy nope --type=merge -p '{"spec":{"replicas":3}}'`)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): deployments.apps "nope" not found
      [exit 1]
    `);
    expect(await k.run(`patch deploy web --type=merge -p '{'`)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): error decoding patch: unexpected end of JSON input
      [exit 1]
    `);
    expect(await k.run(`patch deploy web --type=merge -p '[]'`)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}
      [exit 1]
    `);
    expect(await k.run(`patch deploy web --type=nosuch -p '{}'`)).toMatchInlineSnapshot(`
      [stderr]
      error: --type must be one of [json merge strategic], not "nosuch"
      [exit 1]
    `);
  });

  test('custom resources take merge and JSON patches, and no strategic one', async (k) => {
    await k.run('create -f -', cloneSet('web'));
    expect(await k.run(`patch clone web -p '{"spec":{"minReadySeconds":5}}'`)).toMatchInlineSnapshot(`
      [stderr]
      error: application/strategic-merge-patch+json is not supported by apps.kruise.io/v1beta1, Kind=CloneSet: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml
      [exit 1]
    `);
    expect(await k.run(`patch clone web --type=strategic -p '{"spec":{"minReadySeconds":5}}'`))
      .toMatchInlineSnapshot(`
        [stderr]
        error: application/strategic-merge-patch+json is not supported by apps.kruise.io/v1beta1, Kind=CloneSet: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml
        [exit 1]
      `);
    expect(
      await k.run(`patch clone web --type=merge -p '{"spec":{"minReadySeconds":5}}'`),
    ).toMatchInlineSnapshot(`cloneset.apps.kruise.io/web patched`);
    expect(
      await k.run(
        `patch clone web --type=json -p '[{"op":"replace","path":"/spec/template/spec/containers/1/image","value":"example.com/proxy:3"}]'`,
      ),
    ).toMatchInlineSnapshot(`cloneset.apps.kruise.io/web patched`);
    expect(await k.run(`patch clone web --type=merge -p '{"spec":{"minReadySeconds":"five","replicas":-2}}'`))
      .toMatchInlineSnapshot(`
        [stderr]
        The CloneSet "web" is invalid:
        * .spec.replicas: Invalid value: -2: should be a non-negative integer
        * <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
        * spec.minReadySeconds: Invalid value: "string": spec.minReadySeconds in body must be of type integer: "string"
        * spec.replicas: Invalid value: -2: spec.replicas in body should be greater than or equal to 0
        [exit 1]
      `);
    expect(await k.run(`patch clone web --type=merge -p '{"spec":{"nosuch":1}}'`)).toMatchInlineSnapshot(`
      cloneset.apps.kruise.io/web patched (no change)
      [stderr]
      Warning: unknown field "spec.nosuch"
    `);
    const { metadata, spec } = await k.stored('clonesets/web', 'apps.kruise.io/v1alpha1');
    expect(metadata.generation).toBe(3);
    expect(spec).toMatchObject({
      minReadySeconds: 5,
      template: { spec: { containers: [{}, { image: 'example.com/proxy:3' }] } },
    });
    expect(spec['nosuch']).toBeUndefined();
  });

  test('subresources: status apart from spec, scale', async (k) => {
    await k.run('create -f -', pod('p'));
    expect(
      await k.run(
        `patch pod p --subresource=status --type=merge -p '{"spec":{"nodeName":"x"},"status":{"phase":"Running"}}'`,
      ),
    ).toMatchInlineSnapshot(`pod/p patched`);
    expect(await k.run(`patch pod p --type=merge -p '{"status":{"phase":"Failed"}}'`)).toMatchInlineSnapshot(
      `pod/p patched (no change)`,
    );
    const stored = await k.stored('pods/p');
    expect([stored.spec['nodeName'], stored.status['phase']]).toEqual(['nowhere', 'Running']);
    await k.run('create -f -', cloneSet('web'));
    expect(
      await k.run(`patch clone web --subresource=scale --type=merge -p '{"spec":{"replicas":0}}'`),
    ).toMatchInlineSnapshot(`scale.autoscaling/web patched`);
    expect(
      await k.run('get clone web --subresource=scale -o jsonpath={.kind}/{.spec.replicas}'),
    ).toMatchInlineSnapshot(`Scale/`);
    expect(await k.run('get clone web --subresource=scale')).toMatchInlineSnapshot(`
      NAME   DESIRED   AVAILABLE   AGE
      web   0   AGE
    `);
    expect(await k.run('get cm x --subresource=status')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): the server could not find the requested resource
      [exit 1]
    `);
  });

  test('most fields of a pod are immutable', async (k) => {
    await k.run('create -f -', pod('p'));
    expect(await k.run('set image pod/p main=example.com/web:2')).toMatchInlineSnapshot(
      `pod/p image updated`,
    );
    expect(await k.run('set image pod/p nosuch=example.com/web:2')).toMatchInlineSnapshot(`
      [stderr]
      error: unable to find container named "nosuch"
      [exit 1]
    `);
    const refused = await k.run(`patch pod p --type=merge -p '{"spec":{"hostNetwork":true}}'`);
    expect(refused.split('\n').slice(0, 2).join('\n')).toMatchInlineSnapshot(`
      [stderr]
      The Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than \`spec.containers[*].image\`,\`spec.initContainers[*].image\`,\`spec.activeDeadlineSeconds\`,\`spec.tolerations\` (only additions to existing tolerations),\`spec.terminationGracePeriodSeconds\` (allow it to be set to 1 if it was previously negative)
    `);
    expect(await k.run('get pod p -o jsonpath={.spec.containers[0].image}')).toMatchInlineSnapshot(
      `example.com/web:2`,
    );
  });

  test('scale, with --current-replicas and --resource-version', async (k) => {
    await k.run('create -f -', cloneSet('web'));
    await k.run('create -f -', deployment('web'));
    expect(await k.run('scale deploy web --replicas=3')).toMatchInlineSnapshot(`deployment.apps/web scaled`);
    expect(await k.run('scale deploy web --current-replicas=2 --replicas=4')).toMatchInlineSnapshot(`
      [stderr]
      error: Expected replicas to be 2, was 3
      [exit 1]
    `);
    expect(await k.run('scale deploy web --current-replicas=3 --replicas=4')).toMatchInlineSnapshot(
      `deployment.apps/web scaled`,
    );
    expect(await k.run('scale deploy web --resource-version=1 --replicas=5')).toMatchInlineSnapshot(`
      [stderr]
      error: Expected resource version to be 1, was RV
      [exit 1]
    `);
    expect(await k.run('scale deploy/web clone/web --replicas=0')).toMatchInlineSnapshot(`
      deployment.apps/web scaled
      cloneset.apps.kruise.io/web scaled
    `);
    expect(await k.run('scale clone web --replicas=0 --dry-run=server')).toMatchInlineSnapshot(
      `cloneset.apps.kruise.io/web scaled (server dry run)`,
    );
    expect((await k.raw('scale clone nope --replicas=1')).code).toBe(1);
    expect((await k.stored('deployments/web', 'apps/v1')).spec['replicas']).toBe(0);
  });

  test('set image, env, resources, selector of objects with a template; rollout restart, pause, resume', async (k) => {
    await k.run('create -f -', deployment('web'));
    expect(
      await k.run('set image deploy/web main=example.com/web:2 proxy=example.com/proxy:2'),
    ).toMatchInlineSnapshot(`deployment.apps/web image updated`);
    expect(await k.run('set env deploy/web -c main COLOUR=red SIZE-')).toMatchInlineSnapshot(
      `deployment.apps/web env updated`,
    );
    expect(await k.run('set env deploy/web --list')).toMatchInlineSnapshot(`
      # Deployment web, container main
      COLOUR=red
      # Deployment web, container proxy
    `);
    expect(
      await k.run('set resources deploy/web -c main --limits=cpu=200m,memory=64Mi'),
    ).toMatchInlineSnapshot(`deployment.apps/web resource requirements updated`);
    expect(await k.run('rollout pause deploy/web')).toMatchInlineSnapshot(`
      [stderr]
      error: deployments.apps "web" is already paused
      [exit 1]
    `);
    expect(await k.run('rollout restart deploy/web')).toMatchInlineSnapshot(`
      [stderr]
      error: deployments.apps "web" can't restart paused deployment (run rollout resume first)
      [exit 1]
    `);
    expect(
      await k.run('get deploy web -o jsonpath={.spec.template.spec.containers[0]}'),
    ).toMatchInlineSnapshot(
      `{"env":[{"name":"COLOUR","value":"red"}],"image":"example.com/web:2","imagePullPolicy":"IfNotPresent","name":"main","resources":{"limits":{"cpu":"200m","memory":"64Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}`,
    );
    expect(await k.run('rollout restart clone/web')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): clonesets.apps.kruise.io "web" not found
      [exit 1]
    `);
  });

  test('edit: a change, none, one that is invalid', async (k) => {
    await k.run('create -f -', configMap('a', 'colour: blue'));
    const editor = (name: string, script: string) => ({
      EDITOR: k.file(name, `#!/bin/sh\n${script}\n`),
      TMPDIR: k.dir,
    });
    const edit = async (name: string, script: string, line = 'edit cm a') =>
      k.text(await k.raw(line, '', editor(name, script))).replaceAll(/kubectl-edit-\d+/g, 'kubectl-edit-N');
    expect(await edit('green', `sed -i 's/blue/green/' "$1"`)).toMatchInlineSnapshot(`configmap/a edited`);
    expect(await edit('none', 'true')).toMatchInlineSnapshot(`
      [stderr]
      Edit cancelled, no changes made.
    `);
    expect((await k.stored('configmaps/a')).data).toEqual({ colour: 'green' });
    expect(await edit('broken', `grep -q '\\[' "$1" || sed -i 's/^data:/data: [/' "$1"`))
      .toMatchInlineSnapshot(`
        [stderr]
        error: configmaps "a" is invalid
        A copy of your changes has been stored to "DIR/kubectl-edit-N.yaml"
        error: Edit cancelled, no valid changes were saved.
        [exit 1]
      `);
    await k.run('create -f -', deployment('web'));
    expect(await edit('invalid', `sed -i 's/replicas: 0/replicas: -1/' "$1"`, 'edit deploy web'))
      .toMatchInlineSnapshot(`
        [stderr]
        error: deployments.apps "web" is invalid
        A copy of your changes has been stored to "DIR/kubectl-edit-N.yaml"
        error: Edit cancelled, no valid changes were saved.
        [exit 1]
      `);
    expect(await edit('unknown', `sed -i 's/replicas: 0/replica: 1/' "$1"`, 'edit deploy web'))
      .toMatchInlineSnapshot(`
        [stderr]
        error: deployments.apps "web" is invalid
        A copy of your changes has been stored to "DIR/kubectl-edit-N.yaml"
        error: Edit cancelled, no valid changes were saved.
        [exit 1]
      `);
    expect((await k.stored('deployments/web', 'apps/v1')).spec['replicas']).toBe(0);
    await k.run('create -f -', cloneSet('web'));
    expect(
      await edit(
        'custom',
        `sed -i 's/replicas: 0/replicas: 0\\n  minReadySeconds: 3/' "$1"`,
        'edit clone web',
      ),
    ).toMatchInlineSnapshot(`cloneset.apps.kruise.io/web edited`);
  });

  test('replace: whole, stale, by force', async (k) => {
    await k.run('create -f -', configMap('a', 'one: "1", two: "2"'));
    const first = await k.stored('configmaps/a');
    expect(await k.run('replace -f -', configMap('a', 'one: "3"'))).toMatchInlineSnapshot(
      `configmap/a replaced`,
    );
    expect((await k.stored('configmaps/a')).data).toEqual({ one: '3' });
    expect(await k.run('replace -f -', JSON.stringify(first))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again
      [exit 1]
    `);
    expect(await k.run('replace -f -', configMap('nope'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): error when replacing "STDIN": configmaps "nope" not found
      [exit 1]
    `);
    expect(await k.run('replace --force -f -', configMap('a', 'one: "4"'))).toMatchInlineSnapshot(`
      configmap "a" deleted
      configmap/a replaced
    `);
    expect((await k.stored('configmaps/a')).metadata.uid).not.toBe(first.metadata.uid);
    expect(await k.run('replace --force -f -', configMap('new'))).toMatchInlineSnapshot(
      `configmap/new replaced`,
    );
  });
});
