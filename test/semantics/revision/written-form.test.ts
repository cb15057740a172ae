import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { writtenTemplate } from '../../../semantics/revision/written-form.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { defaulted } from '../../fixtures/openkruise/objects.ts';

const short: JsonObject = {
  spec: {
    volumes: [
      {
        name: 'data',
        ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } },
      },
    ],
    containers: [
      {
        name: 'main',
        image: 'web:1',
        command: null,
        resources: { limits: { memory: '1024Mi', cpu: '0.5' } },
      },
      { name: 'side', image: 'side:1' },
    ],
  },
  metadata: { labels: { app: 'web' } },
};

test('the bytes that Go writes for a template that a user wrote', () => {
  expect(JSON.stringify(writtenTemplate(short))).toBe(
    '{"metadata":{"creationTimestamp":null,"labels":{"app":"web"}},"spec":{"containers":[' +
      '{"image":"web:1","name":"main","resources":{"limits":{"cpu":"500m","memory":"1Gi"}}},' +
      '{"image":"side:1","name":"side","resources":{}}],' +
      '"volumes":[{"ephemeral":{"volumeClaimTemplate":{"metadata":{"creationTimestamp":null},' +
      '"spec":{"accessModes":["ReadWriteOnce"],"resources":{}}}},"name":"data"}]}}',
  );
});

test('it is the same template', () => {
  expect(templateHash(writtenTemplate(short))).toBe(templateHash(short));
});

test('what Go has written stays as it is, byte for byte', () => {
  const theirs = defaulted({ main: 'web:1', proxy: 'proxy:1' });
  expect(JSON.stringify(writtenTemplate(theirs))).toBe(JSON.stringify(theirs));
});
