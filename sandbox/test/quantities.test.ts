import { describe, expect, test } from 'vitest';
import { canonicalQuantity, countedQuantity } from '../schema/quantity.ts';
import { front } from './http/front.ts';
import { container, send } from './requests.ts';

const pods = '/api/v1/namespaces/default/pods';

describe('quantities', () => {
  test.each([
    ['1024Mi', '1Gi'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1000Ki', '1000Ki'],
    ['1048576', '1048576'],
    ['1.5Gi', '1536Mi'],
    ['0.1Ki', '102400m'],
    ['1.1Ki', '1126400m'],
    ['1e3', '1e3'],
    ['1e2', '100'],
    ['1e10', '10e9'],
    ['1.5e3', '1500'],
    ['1E-1', '100e-3'],
    ['2e1000', '20e999'],
    ['0m', '0'],
    ['-1.5', '-1500m'],
    ['+1', '+1'],
    ['5.', '5.'],
    ['00.5', '500m'],
    ['0.0001', '100u'],
    ['0.0000000001', '1n'],
    ['9Ei', '9223372036854775807'],
    ['-9Ei', '-9223372036854775807'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1000000000000000000000', '1'],
  ])('%s is kept as %s', (written, kept) => {
    expect(canonicalQuantity(written)).toEqual({ value: kept });
    expect(canonicalQuantity(kept)).toEqual({ value: kept });
  });

  test.each([
    ['100u', '1m'],
    ['1n', '1m'],
    ['1500u', '2m'],
    ['-1500u', '-2m'],
    ['1e-6', '1e-3'],
    ['1.840m', '2m'],
    ['1500m', '1500m'],
  ])('%s of a resource counts as %s', (canonical, counted) => {
    expect(countedQuantity(canonical)).toBe(counted);
  });

  test.each([
    ['', /^quantities must match/],
    ['five', /^quantities must match/],
    ['5.5.5', /^quantities must match/],
    ['1m5', /^unable to parse quantity's suffix$/],
    ['1K', /^unable to parse quantity's suffix$/],
  ])('%j is none', (written, fault) => {
    expect(canonicalQuantity(written)).toEqual({ fault: expect.stringMatching(fault) });
  });

  test('resources are rounded up to thousandths, the size of a volume is not', async () => {
    const server = await front();
    const { body } = await send(server, 'POST', pods, {
      metadata: { name: 'a' },
      spec: {
        containers: [{ ...container, resources: { limits: { cpu: '0.0001', memory: 1024 } } }],
        volumes: [{ name: 'v', emptyDir: { sizeLimit: '0.5' } }],
      },
    });
    expect(body['spec']).toMatchObject({
      containers: [{ resources: { limits: { cpu: '1m', memory: '1024' } } }],
      volumes: [{ emptyDir: { sizeLimit: '500m' } }],
    });
  });
});
