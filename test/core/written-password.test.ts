// Passwords within texts: each form that is found, and texts that only look like one.
import { expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import type { Sensitive } from '../../src/core/model/sensitive.ts'
import { concealPasswords, withoutPasswords } from '../../src/core/model/written-password.ts'

it.each([
  ['https://api:secret@x.example.com/a', 'https://api:***@x.example.com/a'],
  ['jdbc:mysql://u:p%40w@h:3306/db?useSSL=false', 'jdbc:mysql://u:***@h:3306/db?useSSL=false'],
  ['jdbc:oracle:thin:scott/tiger@//h:1521/x', 'jdbc:oracle:thin:scott/***@//h:1521/x'],
  ['Server=a;User Id=b;Password=c d;Trust=true', 'Server=a;User Id=b;Password=***;Trust=true'],
  ['Server=a;PWD = "x;y";Trust=true', 'Server=a;PWD = ***;Trust=true'],
  ['AccountName=a;AccountKey=abc==;E=core', 'AccountName=a;AccountKey=***;E=core'],
  ['Server=a;Pwd=<a>b;Trust=true', 'Server=a;Pwd=***;Trust=true'],
  ['https://h/?password=abc&x=1 and ftp://a:b@c', 'https://h/?password=***&x=1 and ftp://a:***@c'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutPasswords(text)).toBe(shown)
  const concealed = concealPasswords({ inner: [text], other: 1 }) as unknown as {
    readonly inner: readonly Sensitive[]
  }
  expect(concealed.inner[0]?.reveal()).toBe(text)
  expect(JSON.stringify(concealed)).toBe(JSON.stringify({ inner: [{ reference: shown }], other: 1 }))
})

it.each([
  'http://h:8080/path@x',
  'https://u:${env:PASSWORD}@h',
  'password=${var:word}',
  'https://{user}:{password}@h',
  'https://h/?password={{word}}&x=1',
  'Server=a;Pwd="{0}";Trust=true',
  'Server=a;Pwd=<password>',
  'pwd=%PASSWORD%',
  'https://u:***@h',
  'a@b.example.com',
  'https://h:8080/ and a@b.example.com',
  'a=b;passwordless=true',
  '',
])('%s has none, and stays the same value', (text) => {
  const value: Json = { text, list: [text, null, 1] }
  expect(concealPasswords(value)).toBe(value)
})

it('searches long texts in time that grows with their length', () => {
  const texts = ['//a:', ';pwd ', 'jdbc:oracle:a:', '\n', ' a=', '"\';password='].map((part) => part.repeat(20_000))
  for (const text of texts) expect(withoutPasswords(`${text}@=`).length).toBeGreaterThan(0)
})
