extension FoldingTable {
  /// Letters of alphabets and syllabaries. Made from Unicode 14; see ``FoldingTable``.
  static let alphabets = """
    AA a
    B2 2 3 = μ
    B9 1 o
    C0 a a a a a a ae c e e e e i i i i d n o o o o o = o u u u u y th ss a a a a a a ae c e e e e i i i i d n o o o
      o o = o u u u u y th y a a a a a a c c c c c c c c d d d d e e e e e e e e e e g g g g g g g g h h h h i i i i i
      i i i i i ij ij j j k k = l l l l l l l l l l n n n n n n n = = o o o o o o oe oe r r r r r r s s s s s s s s t
      t t t t t u u u u u u u u u u u u w w y y y z z z z z z s
    1A0 o o
    1AF u u
    1C4 dz dz dz lj lj lj nj nj nj a a i i o o u u u u u u u u u u = a a a a ae ae = = g g k k o o o o ʒ ʒ j dz dz
      dz g g = = n n a a ae ae o o a a a a e e e e i i i i o o o o r r r r u u u u s s t t = = h h
    226 a a e e o o o o o o o o y y
    374 ʹ
    386 α = ε η ι = ο = υ ω ι
    3AA ι υ α ε η ι υ
    3C2 σ
    3CA ι υ ο υ ω = β θ υ υ υ φ π
    3F0 κ ρ σ = = ε
    3F9 σ
    400 е е = г
    407 і
    40C к и у
    419 и
    439 и
    450 е е = г
    457 і
    45C к и у
    476 ѵ ѵ
    4C1 ж ж
    4D0 а а а а = = е е = = ә ә ж ж з з = = и и и и о о = = ө ө э э у у у у у у ч ч = = ы ы
    622 \u{627} \u{627} \u{648} \u{627} \u{64a}
    6C0 \u{6d5} = \u{6c1}
    6D3 \u{6d2}
    929 न\u{93c}
    931 र\u{93c} = = ळ\u{93c}
    958 क\u{93c} ख\u{93c} ग\u{93c} ज\u{93c} ड\u{93c} ढ\u{93c} फ\u{93c} य\u{93c}
    9CB \u{9c7}\u{9be} \u{9c7}\u{9d7}
    9DC ড\u{9bc} ঢ\u{9bc} = য\u{9bc}
    A33 ਲ\u{a3c} = = ਸ\u{a3c}
    A59 ਖ\u{a3c} ਗ\u{a3c} ਜ\u{a3c} = = ਫ\u{a3c}
    B48 \u{b47}\u{b56} = = \u{b47}\u{b3e} \u{b47}\u{b57}
    B5C ଡ\u{b3c} ଢ\u{b3c}
    B94 ஒ\u{bd7}
    BCA \u{bc6}\u{bbe} \u{bc7}\u{bbe} \u{bc6}\u{bd7}
    C48 \u{c46}\u{c56}
    CC0 \u{cbf}\u{cd5}
    CC7 \u{cc6}\u{cd5} \u{cc6}\u{cd6} = \u{cc6}\u{cc2} \u{cc6}\u{cc2}\u{cd5}
    D4A \u{d46}\u{d3e} \u{d47}\u{d3e} \u{d46}\u{d57}
    DDA \u{dd9}\u{dca} = \u{dd9}\u{dcf} \u{dd9}\u{dcf}\u{dca} \u{dd9}\u{ddf}
    F43 ག\u{fb7}
    F4D ཌ\u{fb7}
    F52 ད\u{fb7}
    F57 བ\u{fb7}
    F5C ཛ\u{fb7}
    F69 ཀ\u{fb5}
    F73 \u{f71}\u{f72} = \u{f71}\u{f74} \u{fb2}\u{f80} = \u{fb3}\u{f80}
    F81 \u{f71}\u{f80}
    F93 \u{f92}\u{fb7}
    F9D \u{f9c}\u{fb7}
    FA2 \u{fa1}\u{fb7}
    FA7 \u{fa6}\u{fb7}
    FAC \u{fab}\u{fb7}
    FB9 \u{f90}\u{fb5}
    1026 ဥ\u{102e}
    1B06 ᬅ\u{1b35} = ᬇ\u{1b35} = ᬉ\u{1b35} = ᬋ\u{1b35} = ᬍ\u{1b35}
    1B12 ᬑ\u{1b35}
    1B3B \u{1b3a}\u{1b35} = \u{1b3c}\u{1b35} = = \u{1b3e}\u{1b35} \u{1b3f}\u{1b35} = \u{1b42}\u{1b35}
    1E00 a a b b b b b b c c d d d d d d d d d d e e e e e e e e e e f f g g h h h h h h h h h h i i i i k k k k k k
      l l l l l l l l m m m m m m n n n n n n n n o o o o o o o o p p p p r r r r r r r r s s s s s s s s s s t t t t
      t t t t u u u u u u u u u u v v v v w w w w w w w w w w x x x x y y z z z z z z h t w y = s = = ss = a a a a a a
      a a a a a a a a a a a a a a a a a a e e e e e e e e e e e e e e e e i i i i o o o o o o o o o o o o o o o o o o
      o o o o o o u u u u u u u u u u u u u u y y y y y y y y
    1F00 α α α α α α α α α α α α α α α α ε ε ε ε ε ε = = ε ε ε ε ε ε = = η η η η η η η η η η η η η η η η ι ι ι ι ι ι
      ι ι ι ι ι ι ι ι ι ι ο ο ο ο ο ο = = ο ο ο ο ο ο = = υ υ υ υ υ υ υ υ = υ = υ = υ = υ ω ω ω ω ω ω ω ω ω ω ω ω ω ω
      ω ω α α ε ε η η ι ι ο ο υ υ ω ω = = α α α α α α α α α α α α α α α α η η η η η η η η η η η η η η η η ω ω ω ω ω ω
      ω ω ω ω ω ω ω ω ω ω α α α α α = α α α α α α α = ι
    1FC2 η η η = η η ε ε η η η
    1FD0 ι ι ι ι = = ι ι ι ι ι ι
    1FE0 υ υ υ υ ρ ρ υ υ υ υ υ υ ρ
    1FF2 ω ω ω = ω ω ο ο ω ω ω
    212B a
    2160 i ii iii iv v vi vii viii ix x xi xii l c d m i ii iii iv v vi vii viii ix x xi xii l c d m
    304C か\u{3099} = き\u{3099} = く\u{3099} = け\u{3099} = こ\u{3099} = さ\u{3099} = し\u{3099} = す\u{3099} = せ\u{3099} =
      そ\u{3099} = た\u{3099} = ち\u{3099} = = つ\u{3099} = て\u{3099} = と\u{3099}
    3070 は\u{3099} は\u{309a} = ひ\u{3099} ひ\u{309a} = ふ\u{3099} ふ\u{309a} = へ\u{3099} へ\u{309a} = ほ\u{3099} ほ\u{309a}
    3094 う\u{3099}
    309E ゝ\u{3099}
    30AC カ\u{3099} = キ\u{3099} = ク\u{3099} = ケ\u{3099} = コ\u{3099} = サ\u{3099} = シ\u{3099} = ス\u{3099} = セ\u{3099} =
      ソ\u{3099} = タ\u{3099} = チ\u{3099} = = ツ\u{3099} = テ\u{3099} = ト\u{3099}
    30D0 ハ\u{3099} ハ\u{309a} = ヒ\u{3099} ヒ\u{309a} = フ\u{3099} フ\u{309a} = ヘ\u{3099} ヘ\u{309a} = ホ\u{3099} ホ\u{309a}
    30F4 ウ\u{3099} = = ワ\u{3099} ヰ\u{3099} ヱ\u{3099} ヲ\u{3099}
    30FE ヽ\u{3099}
    FB00 ff fi fl ffi ffl st st
    FB13 մն մե մի վն մխ
    FB1D \u{5d9} = \u{5f2}
    FB2A \u{5e9} \u{5e9} \u{5e9} \u{5e9} \u{5d0} \u{5d0} \u{5d0} \u{5d1} \u{5d2} \u{5d3} \u{5d4} \u{5d5} \u{5d6} =
      \u{5d8} \u{5d9} \u{5da} \u{5db} \u{5dc} = \u{5de} = \u{5e0} \u{5e1} = \u{5e3} \u{5e4} = \u{5e6} \u{5e7} \u{5e8}
      \u{5e9} \u{5ea} \u{5d5} \u{5d1} \u{5db} \u{5e4} \u{5d0}\u{5dc}
    FF10 0 1 2 3 4 5 6 7 8 9
    FF21 a b c d e f g h i j k l m n o p q r s t u v w x y z
    FF41 a b c d e f g h i j k l m n o p q r s t u v w x y z
    FF66 ヲ ァ ィ ゥ ェ ォ ャ ュ ョ ッ ー ア イ ウ エ オ カ キ ク ケ コ サ シ ス セ ソ タ チ ツ テ ト ナ ニ ヌ ネ ノ ハ ヒ フ ヘ ホ マ ミ ム メ モ ヤ ユ ヨ ラ リ ル レ ロ
      ワ ン \u{3099} \u{309a} ㅤ ㄱ ㄲ ㄳ ㄴ ㄵ ㄶ ㄷ ㄸ ㄹ ㄺ ㄻ ㄼ ㄽ ㄾ ㄿ ㅀ ㅁ ㅂ ㅃ ㅄ ㅅ ㅆ ㅇ ㅈ ㅉ ㅊ ㅋ ㅌ ㅍ ㅎ
    FFC2 ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ = = ㅕ ㅖ ㅗ ㅘ ㅙ ㅚ = = ㅛ ㅜ ㅝ ㅞ ㅟ ㅠ = = ㅡ ㅢ ㅣ
    1109A 𑂙\u{110ba} = 𑂛\u{110ba}
    110AB 𑂥\u{110ba}
    1112E \u{11131}\u{11127} \u{11132}\u{11127}
    1134B \u{11347}\u{1133e} \u{11347}\u{11357}
    114BB \u{114b9}\u{114ba} \u{114b9}\u{114b0} = \u{114b9}\u{114bd}
    115BA \u{115b8}\u{115af} \u{115b9}\u{115af}
    11938 \u{11935}\u{11930}
    """
}
