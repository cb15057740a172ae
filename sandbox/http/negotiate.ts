import { frontRefusal } from './status.ts';

/** The representation that the client requests. */
export type Shape =
  | { as: 'itself' }
  | { as: 'Table'; version: 'v1' | 'v1beta1' }
  | { as: 'PartialObjectMetadata' | 'PartialObjectMetadataList'; version: 'v1' | 'v1beta1' }
  | { as: 'APIGroupDiscoveryList'; version: 'v2' | 'v2beta1' };

interface Clause {
  type: string;
  parameters: ReadonlyMap<string, string>;
  quality: number;
}

/** The media types that this server can write. */
const written = 'application/json';

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const at = parameter.indexOf('=');
    if (at < 0) continue;
    const name = parameter.slice(0, at).trim().toLowerCase();
    const value = parameter
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (name === 'q') quality = Number.isFinite(Number(value)) ? Number(value) : 0;
    else parameters.set(name, value);
  }
  return { type: type.toLowerCase(), parameters, quality };
}

function shapeOf({ parameters }: Clause, offered: readonly Shape['as'][]): Shape | undefined {
  const name = parameters.get('as');
  if (name === undefined) return { as: 'itself' };
  const group = parameters.get('g');
  const version = parameters.get('v');
  const as = offered.find((each) => each === name);
  if (as === undefined || as === 'itself') return undefined;
  if (as === 'APIGroupDiscoveryList')
    return group === 'apidiscovery.k8s.io' && (version === 'v2' || version === 'v2beta1')
      ? { as, version }
      : undefined;
  return group === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1') ? { as, version } : undefined;
}

/** Content negotiation: by quality, then in the client's order. 406 if nothing matches. */
export function negotiate(accept: string | undefined, offered: readonly Shape['as'][]): Shape {
  if (accept === undefined || accept.trim() === '') return { as: 'itself' };
  const clauses = accept
    .split(',')
    .map(parseClause)
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  let understood = false;
  for (const clause of clauses) {
    if (clause.type !== 'application/json' && clause.type !== 'application/*' && clause.type !== '*/*')
      continue;
    understood = true;
    const shape = shapeOf(clause, offered);
    if (shape !== undefined) return shape;
  }
  if (understood) throw frontRefusal.notAcceptable(`only the following media types are accepted: ${written}`);
  throw frontRefusal.notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${written}`, {});
}
