import { expect, test } from 'vitest';
import { positionOf } from '../../compiler/diagnostics/position.ts';
import { parseYaml } from '../../compiler/load/parse.ts';
import { cloneSet } from './world/manifests.ts';

const whole = cloneSet({ container: '        args: ["a", "b"]' });

/** Where the text is broken, and what is said about it. */
function faultOf(text: string): { at: string; message: string; help: string; related: string[] } {
  const { diagnostics } = parseYaml({ file: 'web.yaml', text });
  const [found] = diagnostics;
  if (found?.position === undefined) throw new Error('the text is valid');
  const { line, column } = positionOf(found.position);
  const related = found.related.map(({ message, position }) => `${positionOf(position).line}: ${message}`);
  return { at: `${line}:${column}`, message: found.message.slice(18), help: found.help, related };
}

test.each<[string, string, string, string, string]>([
  ['{app: web}\n  updateS', '{app: web\n  updateS', '9:18', 'the { is not closed', 'add }'],
  ['"b"]', '"b"', '19:15', 'the [ is not closed', 'add ]'],
  ['name: nginx', 'name: "nginx', '17:15', 'the " is not closed', 'add "'],
  ['image: nginx:1.25', "image: 'nginx:1.25", '18:16', "the ' is not closed", "add '"],
  [
    'replicas: 10',
    'replicas 10',
    '7:3',
    'replicas has no colon',
    'write it as a key with a value, or remove the line',
  ],
  ['replicas: 10', 'replicas:10', '7:3', 'a space is missing after replicas:', 'write replicas: 10'],
  ['replicas: 10', 'replicas: 10\n=======', '8:1', 'a conflict of a merge is left', 'resolve the conflict'],
  [
    '        image',
    '       image',
    '18:8',
    'this line is indented by 7: it is no key of the list item above, and no new item',
    'indent it like the other keys of the item, or begin it with a dash',
  ],
  [
    '        image',
    '         image',
    '18:10',
    'this line is indented by 9, and the key above by 8',
    'indent the keys of a map by the same number of spaces',
  ],
  [
    'nginx:1.25',
    'nginx: 1.25',
    '18:16',
    'a value with a colon and a space in it must be quoted',
    'write "nginx: 1.25"',
  ],
  ['- name', '-name', '17:7', 'a list item needs a space after its dash', 'write - name'],
  [
    '  replicas',
    '\treplicas',
    '7:1',
    'tabs are not allowed as indentation',
    'correct the reported line. If the file is a template, render it first',
  ],
])('%j as %j', (from, to, at, message, help) => {
  expect(whole).toContain(from);
  expect(faultOf(whole.replace(from, to))).toEqual({ at, message, help, related: [] });
});

test('a map with two indents names both lines', () => {
  expect(faultOf(whole.replace('  replicas: 10\n', '    # ten\n    replicas: 10\n\n'))).toEqual({
    at: '10:3',
    message: 'this line is indented by 2, and the map that it follows by 4',
    help: 'indent the keys of a map by the same number of spaces',
    related: ['8: the map begins here'],
  });
});

test('an asterisk without quotes', () => {
  const help = 'write "*"';
  expect(faultOf(whole.replace('name: nginx', 'name: *'))).toMatchObject({ at: '17:15', help });
});

test('a file that begins with an empty line', () => {
  expect(faultOf('\n    a: 1\n  b: 2\n')).toMatchObject({ at: '3:3', related: ['2: the map begins here'] });
});

test('the second document of a file, with line ends of Windows', () => {
  const text = `${whole}---\n${whole.replace('"b"]', '"b"')}`.replaceAll('\n', '\r\n');
  expect(faultOf(text)).toMatchObject({ at: '39:15', message: 'the [ is not closed' });
});

test('a bracket in a quote or in a block of text is none', () => {
  const text = whole.replace('["a", "b"]', '["[", "{"').replace('  replicas', '  # {[\n  replicas');
  expect(faultOf(text)).toMatchObject({ at: '20:15', message: 'the [ is not closed' });
});
