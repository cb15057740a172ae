import { describe, expect, it } from 'vitest';
import { front, json } from './front.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';
const access = { resourceAttributes: { verb: 'create', resource: 'pods' } };

describe('reviews', () => {
  it.each([
    ['of oneself', `${authorization}/selfsubjectaccessreviews`, access],
    [
      'of a user',
      `${authorization}/subjectaccessreviews`,
      { ...access, user: 'bob', groups: ['system:masters'] },
    ],
    [
      'of a path',
      `${authorization}/selfsubjectaccessreviews`,
      { nonResourceAttributes: { verb: 'get', path: '/logs' } },
    ],
    [
      'in a namespace',
      `${authorization}/namespaces/default/localsubjectaccessreviews`,
      {
        user: 'bob',
        groups: ['system:masters'],
        resourceAttributes: { ...access.resourceAttributes, namespace: 'default' },
      },
    ],
  ])(
    'of access %s say of an administrator that everything is allowed, and nothing is kept',
    async (_title, path, spec) => {
      const { ask, world } = await front();
      const before = world.state();
      const { code, json: answer } = await ask(path, { method: 'POST', headers: json, body: { spec } });
      expect(code).toBe(201);
      expect(answer).toMatchObject({ spec, status: { allowed: true } });
      expect(world.state()).toEqual(before);
    },
  );

  it('are read as protobuf, too', async () => {
    const { ask } = await front();
    const text =
      'azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPwoQCgASABoAIgAqADIAOABCABIh' +
      'Ch8KB2RlZmF1bHQSBmNyZWF0ZRoAIgAqBHBvZHMyADoAGggIABIAGgAgAA==';
    const { code, json: answer } = await ask(`${authorization}/selfsubjectaccessreviews`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: Buffer.from(text, 'base64'),
    });
    expect(code).toBe(201);
    expect(answer).toMatchObject({
      spec: { resourceAttributes: { namespace: 'default', verb: 'create', resource: 'pods' } },
      status: { allowed: true },
    });
  });

  it('of rules name all of them', async () => {
    const { ask } = await front();
    const { code, json: answer } = await ask(`${authorization}/selfsubjectrulesreviews`, {
      method: 'POST',
      headers: json,
      body: { spec: { namespace: 'default' } },
    });
    expect(code).toBe(201);
    expect(answer).toMatchObject({
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {},
      status: { incomplete: false },
    });
    const { status } = answer as { status: { resourceRules: unknown[]; nonResourceRules: unknown[] } };
    expect(status.resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    expect(status.nonResourceRules).toContainEqual({ verbs: ['*'], nonResourceURLs: ['*'] });
  });

  it('of oneself name the user of the token', async () => {
    const { ask } = await front();
    const { code, json: answer } = await ask(`${authentication}/selfsubjectreviews`, {
      method: 'POST',
      headers: json,
      body: {},
    });
    expect(code).toBe(201);
    expect(answer).toEqual({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: '2026-01-01T12:00:00Z' },
      status: {
        userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      },
    });
  });

  it.each([
    [
      'selfsubjectaccessreviews',
      { spec: {} },
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'selfsubjectaccessreviews',
      { spec: { ...access, nonResourceAttributes: { verb: 'get', path: '/x' } } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'subjectaccessreviews',
      { spec: access },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'namespaces/default/localsubjectaccessreviews',
      { spec: { ...access, user: 'bob' } },
      'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
    ],
  ])('that make no sense are refused: %s %j', async (resource, body, fault) => {
    const { ask } = await front();
    const { code, json: answer } = await ask(`${authorization}/${resource}`, {
      method: 'POST',
      headers: json,
      body,
    });
    expect(code).toBe(422);
    expect(answer).toMatchObject({ message: `.authorization.k8s.io "" is invalid: ${fault}` });
    expect((answer as { details: object }).details).not.toHaveProperty('kind');
  });

  it('have no name, and a rules review has a namespace', async () => {
    const { ask } = await front();
    const post = (resource: string, body: object) =>
      ask(`${authorization}/${resource}`, { method: 'POST', headers: json, body });
    const named = await post('selfsubjectaccessreviews', { metadata: { name: 'x' }, spec: access });
    expect(named.code).toBe(422);
    expect(named.text).toContain('must be empty');
    const placeless = await post('selfsubjectrulesreviews', { spec: {} });
    expect([placeless.code, (placeless.json as { message: string }).message]).toEqual([
      400,
      'no namespace on request',
    ]);
  });

  it.each([
    ['GET', '/selfsubjectaccessreviews', 405],
    ['PUT', '/selfsubjectaccessreviews', 405],
    ['DELETE', '/selfsubjectaccessreviews', 405],
    ['GET', '/selfsubjectaccessreviews/x', 404],
    ['POST', '/localsubjectaccessreviews', 404],
  ])('can only be created: %s %s is %d', async (method, path, code) => {
    const { ask } = await front();
    expect((await ask(`${authorization}${path}`, { method, headers: json, body: '{}' })).code).toBe(code);
  });

  it('are shown as themselves, or not at all', async () => {
    const { ask } = await front();
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const headers = { ...json, accept };
    const { code } = await ask(`${authentication}/selfsubjectreviews`, { method: 'POST', headers, body: {} });
    expect(code).toBe(406);
  });

  it('are found by discovery', async () => {
    const { ask } = await front();
    const { json: list } = await ask(authorization);
    expect(list).toMatchObject({
      resources: [
        {
          name: 'localsubjectaccessreviews',
          singularName: 'localsubjectaccessreview',
          namespaced: true,
          kind: 'LocalSubjectAccessReview',
          verbs: ['create'],
        },
        { name: 'selfsubjectaccessreviews', namespaced: false },
        { name: 'selfsubjectrulesreviews' },
        { name: 'subjectaccessreviews' },
      ],
    });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { text } = await ask('/apis', { headers: { accept } });
    expect(text).toContain(
      '{"resource":"selfsubjectreviews","responseKind":{"group":"","version":"","kind":"SelfSubjectReview"},"scope":"Cluster","singularResource":"selfsubjectreview","verbs":["create"]}',
    );
    const { json: document } = await ask('/openapi/v3/apis/authorization.k8s.io/v1');
    const { paths } = document as { paths: Record<string, object> };
    expect(Object.keys(paths)).toHaveLength(4);
    expect(paths[`${authorization}/selfsubjectaccessreviews`]).not.toHaveProperty('get');
  });
});
