import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from './cluster.ts';

const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

/** An instruction of a Dockerfile: its name, and the rest of its line. */
interface Instruction {
  name: string;
  rest: string;
}

const instructions = (text: string): Instruction[] =>
  text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => ({ name: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));

/** The instructions of each stage, the first of which is its FROM; and those before all stages. */
function stages(text: string): { before: Instruction[]; of: Instruction[][] } {
  const all = instructions(text);
  const first = all.findIndex(({ name }) => name === 'FROM');
  const of: Instruction[][] = [];
  for (const each of all.slice(first)) {
    if (each.name === 'FROM') of.push([each]);
    else of.at(-1)?.push(each);
  }
  return { before: all.slice(0, first), of };
}

const restsOf = (stage: readonly Instruction[], wanted: string): string[] =>
  stage.filter(({ name }) => name === wanted).map(({ rest }) => rest);

describe('security 18: the image', () => {
  const text = read('Dockerfile');
  const { before, of } = stages(text);
  const [build = [], last = [], ...others] = of;

  test('is built by one stage, and filled from it by another', () => {
    expect(others).toEqual([]);
    expect(restsOf(build, 'FROM')).toEqual(['${NODE_IMAGE} AS build']);
    expect(restsOf(last, 'FROM')).toEqual(['${BASE_IMAGE}']);
  });

  test('has no shell and no npm: its base has neither, and nothing but Node.js and the program is added', () => {
    expect(restsOf(before, 'ARG')).toEqual([
      'NODE_IMAGE=node:24-bookworm-slim',
      'BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot',
    ]);
    expect([...restsOf(last, 'COPY'), ...restsOf(last, 'ADD')]).toEqual([
      '--from=build /usr/local/bin/node /usr/local/bin/node',
      '--from=build /src/package.json /src/dist/ /kruise/',
      'LICENSE /kruise/',
    ]);
  });

  test('runs as a number that is not root, as the Deployment says, and needs no shell for it', () => {
    expect(restsOf(last, 'USER')).toEqual(['65532:65532']);
    expect(read('runtime/deployment.yaml')).toContain('runAsUser: 65532\n');
    for (const name of ['RUN', 'ENTRYPOINT', 'CMD'])
      for (const rest of restsOf(last, name)) expect(Array.isArray(JSON.parse(rest))).toBe(true);
    expect(restsOf(last, 'ENTRYPOINT')).toHaveLength(1);
    const names = last.map(({ name }) => name);
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('RUN'));
  });

  test('can be pinned: both bases are arguments, and a build without a digest says so', () => {
    const check = restsOf(build, 'RUN')[0] ?? '';
    for (const name of ['NODE_IMAGE', 'BASE_IMAGE']) {
      expect(restsOf(build, 'ARG')).toContain(name);
      expect(check).toContain(`"$${name}"`);
      expect(text).toContain(`#   --build-arg ${name}=`);
    }
    expect(check).toContain('@sha256:');
    // A digest that nobody renews keeps old flaws.
    expect(before.map(({ rest }) => rest).filter((rest) => rest.includes('sha256'))).toEqual([]);
  });

  test('has the name of this version, as the Deployment says', () => {
    expect(read('runtime/deployment.yaml')).toContain(`image: kruise-runtime:${packageJson.version}\n`);
    expect(text).toContain(`-t kruise-runtime:${packageJson.version} .`);
  });

  test('is made of what is there, and its ignore file lets that through', () => {
    const ignored = new Set(
      read('Dockerfile.dockerignore')
        .split('\n')
        .filter((line) => line.startsWith('!'))
        .map((line) => line.slice(1)),
    );
    const names = [...restsOf(build, 'COPY'), ...restsOf(last, 'COPY')]
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1))
      .map((each) => each.replace(/\/$/, ''));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      expect(existsSync(join(root, name)), name).toBe(true);
      expect(ignored).toContain(name.split('/')[0]);
    }
  });
});
