import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { classify } from '../../../semantics/template/classify.ts';
import { app, lines, pod } from './pods.ts';

const sized = (limit: string | number, request?: string | number): JsonObject =>
  pod([
    {
      ...app,
      resources: {
        limits: { memory: limit },
        ...(request !== undefined && { requests: { memory: request } }),
      },
    },
  ]);
const started = (image: string, policy?: string): JsonObject =>
  pod([app], {
    initContainers: [{ name: 'i', image, ...(policy !== undefined && { imagePullPolicy: policy }) }],
  });
const mounted = (reference: string, pullPolicy: string): JsonObject =>
  pod([app], { volumes: [{ name: 'v', image: { reference, pullPolicy } }] });

const LIMIT = 'spec.containers[app].resources.limits[memory]';
const REQUEST = 'spec.containers[app].resources.requests[memory]';

describe('the changed fields are those that the manifests write', () => {
  test.each<[what: string, from: JsonObject, to: JsonObject, fields: string[]]>([
    [
      'a limit that is raised above the request',
      sized('1Gi', '1Gi'),
      sized('2Gi', '1Gi'),
      [`${LIMIT} Recreate 1Gi>2Gi`],
    ],
    [
      'a limit that is lowered to the request',
      sized('2Gi', '1Gi'),
      sized('1Gi', '1Gi'),
      [`${LIMIT} Recreate 2Gi>1Gi`],
    ],
    [
      'limit and request together',
      sized('1Gi', '1Gi'),
      sized('2Gi', '2Gi'),
      [`${LIMIT} Recreate 1Gi>2Gi`, `${REQUEST} Recreate 1Gi>2Gi`],
    ],
    [
      'a request that is lowered below the limit',
      sized('2Gi', '2Gi'),
      sized('2Gi', '1Gi'),
      [`${REQUEST} Recreate 2Gi>1Gi`],
    ],
    ['a request that is new', sized('2Gi'), sized('2Gi', '1Gi'), [`${REQUEST} Recreate added undefined>1Gi`]],
    ['a limit without a request', sized('1Gi'), sized('2Gi'), [`${LIMIT} Recreate 1Gi>2Gi`]],
    [
      'the tag of an init container, whose pull policy stays',
      started('i:1', 'IfNotPresent'),
      started('i:latest', 'IfNotPresent'),
      ['spec.initContainers[i].image Recreate i:1>i:latest'],
    ],
    [
      'the tag of an image volume, whose pull policy stays',
      mounted('v:latest', 'Always'),
      mounted('v:1', 'Always'),
      ['spec.volumes[v].image.reference Recreate v:latest>v:1'],
    ],
  ])('%s', (_, from, to, fields) => {
    expect(lines(classify(from, to, { policy: 'InPlaceIfPossible', resizes: false }).fields)).toEqual(fields);
  });

  test.each([
    ['another suffix', sized('1024Mi', '1Gi')],
    ['no request, which is the limit', sized('1Gi')],
  ])('%s is no change', (_, to) => {
    const from = sized('1Gi', '1Gi');
    expect(templateHash(to)).toBe(templateHash(from));
    expect(classify(from, to, { policy: 'InPlaceIfPossible', resizes: false }).fields).toEqual([]);
  });
});
