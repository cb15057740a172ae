import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from '../api/errors.ts';
import { apiVersionOf, type Served } from '../api/registry.ts';
import { isFields, type Fields } from '../store/value.ts';
import { objectType } from './atom.ts';
import { typeErrors } from './check.ts';

/** An object's name as the server's messages have it. */
function nameOf(config: Fields): string {
  const metadata = isFields(config['metadata']) ? config['metadata'] : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return `${text(metadata['namespace'])}/${text(metadata['name'])}`;
}

/** 400 for a configuration of another kind or one that speaks of managers, 500 for one that is not of its type. */
export function checkConfig(
  served: Pick<Served, 'version'> & { type: Pick<Served['type'], 'group' | 'kind'> },
  config: unknown,
): asserts config is KubeObject {
  const { type, version } = served;
  if (!isFields(config)) throw refuse.badRequest('the configuration to apply is no object');
  const { apiVersion, kind, metadata } = config;
  if (apiVersion !== apiVersionOf(type.group, version.version) || kind !== type.kind) {
    const [found = '', group = ''] = (typeof apiVersion === 'string' ? apiVersion : '').split('/').reverse();
    const shown = `${group}/${found}, Kind=${typeof kind === 'string' ? kind : ''}`;
    throw refuse.badRequest(`invalid object type: ${shown}`);
  }
  if (isFields(metadata) && metadata['managedFields'] !== undefined && metadata['managedFields'] !== null)
    throw refuse.badRequest('metadata.managedFields must be nil');
  const errors = typeErrors(objectType(version), config);
  if (errors === '') return;
  const shown = `${nameOf(config)}; ${type.group}/${version.version}, Kind=${type.kind}`;
  // An internal error without a reason: that is how the API server answers here.
  throw new ApiError({
    code: 500,
    reason: '',
    message: `failed to create typed patch object (${shown}): ${errors}`,
  });
}

/** A body that is applied to an object of this kind. */
export function configOf(served: Served, body: unknown): KubeObject {
  checkConfig(served, body);
  return body;
}
