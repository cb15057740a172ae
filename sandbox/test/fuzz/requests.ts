import type { ResourceType } from '../../api/registry.ts';
import type { Random } from './random.ts';
import { accepts, contentTypes, methods, names, namespaces, queries, subresources } from './vocabulary.ts';
import { bodyFor, mutate } from './bodies.ts';
import type { Draft } from './draft.ts';

function flip(text: string, random: Random): string {
  if (text === '') return random.of(['{', '[', 'k8s\u0000', '\u00ff\u00fe', ': :']);
  const at = random.below(text.length);
  const odd = random.of([
    '',
    '"',
    '{',
    '}',
    '\\',
    '\u0000',
    '\u00ff',
    '%',
    '%2f',
    '/',
    '&',
    '//',
    '\t',
    '[['.repeat(50),
  ]);
  return text.slice(0, at) + odd + text.slice(at + random.below(3));
}

/** A plausible request, before mutation. */
function plausible(types: readonly ResourceType[], random: Random): Draft {
  const favorite = random.chance(0.5);
  const type = random.of(
    favorite
      ? types.filter(({ id }) => /^(configmaps|pods|widgets\.|clonesets\.|namespaces$)/.test(id))
      : types,
  );
  const version = random.of([...type.versions.keys()]);
  const namespace = random.of(namespaces);
  const name = random.chance(0.9) ? random.of(names.slice(0, 2)) : random.of(names);
  const method = random.of(random.chance(0.85) ? methods.slice(0, 5) : methods);
  const group = type.group === '' ? `/api/${version}` : `/apis/${type.group}/${version}`;
  const watched = random.chance(0.02) ? '/watch' : '';
  const placed = type.namespaced && random.chance(0.9) ? `/namespaces/${namespace}` : '';
  const named = method === 'POST' ? random.chance(0.15) : random.chance(method === 'GET' ? 0.6 : 0.93);
  const part = named && random.chance(method === 'POST' ? 0.8 : 0.2) ? `/${random.of(subresources)}` : '';
  const patches = contentTypes.slice(2, 6);
  const contentType =
    method === 'PATCH' && random.chance(0.9)
      ? random.of(patches)
      : random.chance(0.9)
        ? contentTypes[0]
        : random.of(contentTypes);
  const made: Draft = {
    method,
    path: `${group}${watched}${placed}/${type.plural}${named ? `/${name}` : ''}${part}`,
    query: [
      ...(contentType === 'application/apply-patch+yaml' ? [`fieldManager=${random.of(['me', 'you'])}`] : []),
      ...(random.chance(0.4) ? [random.of(queries)] : []),
    ].join('&'),
    headers: [
      ['Accept', random.chance(0.9) ? accepts[0] : random.of(accepts)],
      ...(contentType === '' ? [] : ([['Content-Type', contentType]] as [string, string][])),
    ],
    body: '',
  };
  if (method === 'GET' || method === 'HEAD') return made;
  let body = bodyFor(made, type, name, namespace, random);
  while (random.chance(0.35)) body = mutate(body, random);
  return { ...made, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** A request; many of them are mutated. */
export function draft(types: readonly ResourceType[], random: Random): Draft {
  const made = plausible(types, random);
  if (random.chance(0.06)) made.path = flip(made.path, random);
  if (random.chance(0.04)) made.query = flip(made.query, random);
  if (random.chance(0.08)) made.body = flip(made.body, random);
  if (random.chance(0.02))
    made.headers.push(['Authorization', random.of(['Bearer', 'Basic x', 'Bearer wrong'])]);
  if (random.chance(0.02)) made.headers.push(['Accept-Encoding', 'gzip']);
  if (random.chance(0.01)) made.headers.push(['Expect', '100-continue']);
  return made;
}
