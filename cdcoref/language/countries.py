"""Which countries a name stands for: the words of a name in, countries out.

A name may stand for several countries of the list, as "Korea" and "Britain" do: then it contradicts none of them.
States that no longer exist stand for themselves and for those that succeeded them. Names that are as often those of
people or of parts of countries are left out ("Jordan", "Georgia", "Chad").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

_NAMES = """
Afghanistan: Afghan Afghans
Albania: Albanian Albanians
Algeria: Algerian Algerians
Angola: Angolan Angolans
Argentina: Argentine Argentines Argentinian
Armenia: Armenian Armenians
Australia: Australian Australians
Austria: Austrian Austrians
Azerbaijan: Azerbaijani Azeri
Bahrain: Bahraini
Bangladesh: Bangladeshi Bangladeshis
Belarus: Belarusian Belarusians
Belgium: Belgian Belgians
Benin: Beninese
Bolivia: Bolivian Bolivians
Bosnia, Bosnia-Herzegovina: Bosnian Bosnians
Botswana
Brazil, Brasil: Brazilian Brazilians
Bulgaria: Bulgarian Bulgarians
Burkina Faso
Burundi: Burundian
Cambodia: Cambodian Cambodians
Cameroon: Cameroonian
Canada: Canadian Canadians
Chile: Chilean Chileans
China: Chinese
Colombia: Colombian Colombians
Costa Rica: Costa-Rican
Croatia: Croatian Croatians Croat Croats
Cuba: Cuban Cubans
Cyprus: Cypriot Cypriots
Czech Republic, Czechia: Czech Czechs
Denmark: Danish Dane Danes
Dominican Republic
Ecuador: Ecuadorean Ecuadorian
Egypt: Egyptian Egyptians
El Salvador: Salvadoran Salvadorean
England: English
Eritrea: Eritrean Eritreans
Estonia: Estonian Estonians
Ethiopia: Ethiopian Ethiopians
Fiji: Fijian
Finland: Finnish Finn Finns
France: French Frenchman Frenchmen
Gabon: Gabonese
Gambia: Gambian
Ghana: Ghanaian Ghanaians
Greece: Greek Greeks
Guatemala: Guatemalan
Haiti: Haitian Haitians
Honduras: Honduran
Hungary: Hungarian Hungarians
Iceland: Icelandic Icelander Icelanders
India: Indian Indians
Indonesia: Indonesian Indonesians
Iran, Persia: Iranian Iranians Persian
Iraq: Iraqi Iraqis
Ireland: Irish Irishman Irishmen
Israel: Israeli Israelis
Italy: Italian Italians
Ivory Coast, Cote d'Ivoire: Ivorian
Jamaica: Jamaican Jamaicans
Japan: Japanese
Kazakhstan: Kazakh
Kenya: Kenyan Kenyans
Kosovo: Kosovar
Kuwait: Kuwaiti Kuwaitis
Kyrgyzstan: Kyrgyz
Laos: Laotian
Latvia: Latvian Latvians
Lebanon: Lebanese
Liberia: Liberian Liberians
Libya: Libyan Libyans
Lithuania: Lithuanian Lithuanians
Luxembourg
Macedonia, North Macedonia: Macedonian
Madagascar: Malagasy
Malawi: Malawian
Malaysia: Malaysian Malaysians
Mali: Malian
Malta: Maltese
Mauritania: Mauritanian
Mauritius: Mauritian
Mexico: Mexican Mexicans
Moldova: Moldovan
Mongolia: Mongolian
Montenegro: Montenegrin
Morocco: Moroccan Moroccans
Mozambique: Mozambican
Namibia: Namibian
Nepal: Nepali Nepalese
Netherlands, Holland: Dutch Dutchman
New Zealand: New-Zealander
Nicaragua: Nicaraguan
Niger
Nigeria: Nigerian Nigerians
North Korea: North-Korean North-Koreans
Northern Ireland
Norway: Norwegian Norwegians
Oman: Omani
Pakistan: Pakistani Pakistanis
Panama: Panamanian
Papua New Guinea
Paraguay: Paraguayan
Peru: Peruvian Peruvians
Philippines: Philippine Filipino Filipinos
Poland: Polish Pole Poles
Portugal: Portuguese
Qatar: Qatari
Romania, Rumania: Romanian Romanians
Russia, Russian Federation: Russian Russians
Rwanda: Rwandan Rwandans
Saudi Arabia: Saudi Saudis
Scotland: Scottish Scot Scots
Senegal: Senegalese
Serbia: Serbian Serbians Serb Serbs
Sierra Leone
Singapore: Singaporean
Slovakia: Slovak Slovaks
Slovenia: Slovenian Slovene
Somalia: Somali Somalis
South Africa: South-African South-Africans
South Korea: South-Korean South-Koreans
South Sudan
Spain: Spanish Spaniard Spaniards
Sri Lanka: Sri-Lankan
Sudan: Sudanese
Sweden: Swedish Swede Swedes
Switzerland: Swiss
Syria: Syrian Syrians
Taiwan: Taiwanese
Tajikistan: Tajik
Tanzania: Tanzanian
Thailand: Thai Thais
Togo: Togolese
Trinidad: Trinidadian
Tunisia: Tunisian Tunisians
Turkey, Turkiye: Turkish Turk Turks
Turkmenistan: Turkmen
Uganda: Ugandan Ugandans
Ukraine: Ukrainian Ukrainians
United Arab Emirates, UAE, U.A.E: Emirati
United States, United States of America, US, U.S, USA, U.S.A, America: American Americans
Uruguay: Uruguayan
Uzbekistan: Uzbek
Venezuela: Venezuelan Venezuelans
Vietnam, Viet Nam: Vietnamese
Wales: Welsh Welshman
Yemen: Yemeni Yemenis
Zaire: Zairean
Zambia: Zambian
Zimbabwe, Rhodesia: Zimbabwean
Britain, Great Britain, United Kingdom, UK, U.K: British Briton Britons = England, Scotland, Wales, Northern Ireland
Congo: Congolese = Zaire, Democratic Republic of Congo, Republic of Congo
Czechoslovakia: Czechoslovak = Czech Republic, Slovakia
Germany, Federal Republic of Germany: German Germans = East Germany, West Germany
East Germany: East-German East-Germans
West Germany: West-German West-Germans
Guinea: Guinean = Guinea, Guinea-Bissau, Equatorial Guinea
Korea: Korean Koreans = North Korea, South Korea
Soviet Union, USSR, U.S.S.R: Soviet Soviets = Soviet Union, Russia, Ukraine, Belarus, Estonia, Latvia, Lithuania
Yugoslavia: Yugoslav Yugoslavs = Yugoslavia, Serbia, Montenegro, Croatia, Slovenia, Bosnia, Macedonia
"""
"""A line a country: its names, then its adjective and people; after ``=`` the countries that all these stand for."""
NONE: frozenset[str] = frozenset()


def countries_named(name: Sequence[str]) -> frozenset[str]:
    """The countries that a name may stand for.

    Parameters
    ----------
    name
        All its words, in lower case, without full stops at their ends: ``("south", "korea")``, ``("danes",)``.

    Returns
    -------
    frozenset
        In lower case; empty if it is the name of no country or people of the list. Two names whose countries have
        nothing in common cannot mean the same.
    """
    return _countries().get(tuple(name), NONE)


@lru_cache(maxsize=1)
def _countries() -> dict[tuple[str, ...], frozenset[str]]:
    return {name: countries for line in _NAMES.strip().lower().splitlines() for name, countries in _of_line(line)}


def _of_line(line: str) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
    known, _, meant = line.partition(" = ")
    names, _, people = known.partition(": ")
    forms = [tuple(name.split()) for name in names.split(", ")]
    forms += [tuple(word.split("-")) for word in people.split()]
    countries = frozenset(meant.split(", ")) if meant else frozenset([" ".join(forms[0])])
    for form in forms:
        yield form, countries
