import { expect, test, vi } from 'vitest';
import { permissionsOf } from '../../deploy/roles.ts';
import { roles } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

test('the role that is made for the kinds lets the runtime watch rations and write their status', () => {
  const own = permissionsOf(roles).filter(({ resource }) => resource.startsWith('rations'));
  expect(own.map(({ verb, resource }) => `${verb} ${resource}`).sort()).toEqual([
    'list rations',
    'patch rations/status',
    'watch rations',
  ]);
});
