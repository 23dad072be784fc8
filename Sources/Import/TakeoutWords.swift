/// Names that Google Takeout translates into the user's language. They are compared by ``TakeoutText/word(_:)``:
/// without regard to case, spaces, or the encoding of accents.
enum TakeoutWords {
  /// The directory that contains all others.
  static let photos = words([
    "Google Photos", "Google Fotos", "Google Foto", "Google Foto's", "Google Fotky", "Fotky Google", "Zdjęcia Google",
    "Google Zdjęcia", "Google Фото", "Google Снимки", "Google Fotoğraflar", "Google Kuvat", "Google Fotók",
    "Google Fotoalbum", "Fotografii Google", "Google Fotografije", "Google Φωτογραφίες", "Google フォト", "Google 相册",
    "Google 相簿", "Google 照片", "Google 포토", "Google Ảnh", "Google Foto’s", "صور Google", "תמונות Google",
  ])

  /// Directories of years; "#" is the year.
  static let years = words([
    "Photos from #", "Fotos von #", "Fotos aus #", "Photos de #", "Photos du #", "Fotos de #", "Fotos del #",
    "Fotos d'#", "Foto's uit #", "Foto's van #", "Foto dal #", "Foto del #", "Foto da #", "Zdjęcia z #", "Фото за #",
    "Фото из #", "Фотографии за #", "Фото з #", "Фотографії за #", "Снимки от #", "Fotky z #", "Fotky z roku #",
    "Fotografie z #", "Fotografie z roku #", "Fotografii din #", "Fotografije iz #", "Foton från #", "Bilder från #",
    "Bilder fra #", "Billeder fra #", "Kuvat vuodelta #", "Valokuvat #", "Fényképek - #", "Fotók - #", "Fotók #",
    "Fotoğraflar #", "# fotoğrafları", "# yılından fotoğraflar", "Φωτογραφίες από #", "Foto dari #", "Ảnh từ #",
    "Ảnh từ năm #", "#年の写真", "#年のフォト", "#년의 사진", "#년 사진", "#年的照片", "#年的相片", "#年照片",
    "รูปภาพจากปี #", "תמונות מ-#", "صور من #",
  ])

  /// The directory of the trash.
  static let trash = words([
    "Trash", "Bin", "Papierkorb", "Corbeille", "Papelera", "Lixeira", "Lixo", "Reciclagem", "Cestino", "Prullenbak",
    "Kosz", "Корзина", "Кошик", "Кошче", "Koš", "Kôš", "Smeće", "Papperskorgen", "Papperskorg", "Papirkurv",
    "Papirkurven", "Søppelbøtte", "Roskakori", "Kuka", "Lomtár", "Çöp kutusu", "Paperera", "Coș de gunoi",
    "Coşul de gunoi", "Κάδος απορριμμάτων", "Κάδος", "ゴミ箱", "휴지통", "回收站", "垃圾桶", "回收桶", "垃圾箱",
    "Thùng rác", "Sampah", "ถังขยะ", "אשפה", "المهملات", "سلة المهملات",
  ])

  /// The JSON of an album, without the ending.
  static let albumMetadata = words([
    "metadata", "Metadaten", "métadonnées", "metadatos", "metadades", "metadados", "metadati", "metadáta",
    "metagegevens", "metadane", "metadane albumu", "метаданные", "метадані", "метаданни", "metadate", "metaadat",
    "metaadatok", "metatiedot", "üst veri", "meta veri", "meta veriler", "metapodaci", "metapodatki", "metaduomenys",
    "metaandmed", "μεταδεδομένα", "メタデータ", "메타데이터", "元数据", "中繼資料", "siêu dữ liệu", "ข้อมูลเมตา", "מטא-נתונים",
    "بيانات وصفية",
  ])

  /// The JSON of the account, without the ending.
  static let accountMetadata = words([
    "print-subscriptions", "shared_album_comments", "user-generated-memory-titles", "commentaires_albums_partagés",
  ])

  private static func words(_ names: [String]) -> Set<String> { Set(names.map { TakeoutText.word(Array($0.utf8)) }) }
}
